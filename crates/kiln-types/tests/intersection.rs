//! What two types have in common.

mod notation;
use notation::Notation;

/// Plain types and unions: the smaller one, or the members both have.
#[test]
fn plain_types() {
    Notation::new().check(
        "
        Int8  &  Integer  =  Int8
        Int8  &  Int16  =  Union{}
        Int8  &  Any  =  Int8
        Integer  &  Union{Int8,String}  =  Int8
        Union{Int8,String}  &  Union{String,Symbol}  =  String
        Union{Int8,Int16,String}  &  Signed  =  Union{Int8,Int16}
        Vector  &  AbstractArray{Int8}  =  Vector{Int8}
        AbstractVector  &  Array  =  Vector
        Vector{Int8}  &  Vector{Signed}  =  Union{}
        AbstractArray{<:Real}  &  Array{<:Any,2}  =  Matrix{<:Real}
        DenseArray{Int8}  &  AbstractVector  =  DenseArray{Int8,1}
        Ref{Int8}  &  Ptr  =  Ptr{Int8}
        Type{Int8}  &  DataType  =  Type{Int8}
        Type{Int8}  &  UnionAll  =  Union{}
        Type{Vector}  &  UnionAll  =  Type{Vector}
        Type  &  DataType  =  DataType
        Type{<:Integer}  &  Type{Int8}  =  Type{Int8}
        Type{Int8}  &  Type{Int16}  =  Union{}
        Type{T} where T<:Array  &  Type{T} where T<:AbstractVector  =~  Type{T} where T<:Vector
        ",
    );
}

/// Tuples: element by element; lengths agree.
#[test]
fn tuples() {
    Notation::new().check(
        "
        Tuple{Int8,Any}  &  Tuple{Any,String}  =  Tuple{Int8,String}
        Tuple{Int8}  &  Tuple{Int8,Int8}  =  Union{}
        Tuple{Int8}  &  Tuple{String}  =  Union{}
        Tuple{Vararg{Int8}}  &  Tuple{Any,Any}  =  Tuple{Int8,Int8}
        Tuple{Vararg{Int8}}  &  Tuple{Vararg{String}}  =  Tuple{}
        Tuple{Int8,Vararg{Any}}  &  Tuple{Any,Vararg{String}}  =  Tuple{Int8,Vararg{String}}
        Tuple{Int8,Vararg{Any}}  &  Tuple{Vararg{Integer}}  =  Tuple{Int8,Vararg{Integer}}
        NTuple{N,Any} where N  &  Tuple{Int8,Int8}  =  Tuple{Int8,Int8}
        Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}  &  Tuple{Matrix,Any,Any}  =  Tuple{Matrix,Int64,Int64}
        Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}  &  Tuple{Matrix,Any}  =  Union{}
        Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}  &  Tuple{Matrix,Vararg{Any}}  =  Tuple{Matrix,Int64,Int64}
        Tuple{Union{Int8,String},Int8}  &  Tuple{String,Signed}  =  Tuple{String,Int8}
        Tuple{Type{Int8},Any}  &  Tuple{DataType,Int8}  =  Tuple{Type{Int8},Int8}
        ",
    );
}

/// Variables take what the other side says, where that has a name.
#[test]
fn variables() {
    Notation::new().check(
        "
        Tuple{T,T} where T  &  Tuple{Int8,Any}  =  Tuple{Int8,Int8}
        Tuple{T,T} where T  &  Tuple{Int8,String}  =  Union{}
        Tuple{T,T} where T  &  Tuple{Integer,Any}  =  Tuple{T,T} where T<:Integer
        Tuple{T,T} where T<:Real  &  Tuple{Integer,Number}  =  Tuple{T,T} where T<:Integer
        Tuple{T,Vector{T}} where T  &  Tuple{Any,Vector{Int8}}  =  Tuple{Int8,Vector{Int8}}
        Tuple{Vector{T},T} where T  &  Tuple{Vector{Int8},String}  =  Union{}
        Tuple{Vector{T},Vector{S}} where {T,S}  &  Tuple{R,R} where R  =~  Tuple{R,R} where R<:Vector
        Pair{T,T} where T  &  Pair{Int8,S} where S  =  Pair{Int8,Int8}
        Pair{T,Int8} where T  &  Pair{String,S} where S  =  Pair{String,Int8}
        Pair{T,Int8} where T<:Integer  &  Pair{String,S} where S  =  Union{}
        Pair{A,B} where {A,B<:A}  &  Pair{Int8,S} where S<:Int8  =  Pair{Int8,S} where S<:Int8
        Vector{T} where T<:Integer  &  Vector{T} where T<:Signed  =  Vector{T} where T<:Signed
        Vector{T} where T<:Integer  &  Vector{T} where T<:String  =~  Vector{Union{}}
        Array{T} where T<:Integer  &  Vector  =  Vector{T} where T<:Integer
        Tuple{Type{T},T} where T  &  Tuple{Type{Int8},Any}  =  Tuple{Type{Int8},Int8}
        Tuple{Type{T},T} where T<:Real  &  Tuple{Type{Int8},Integer}  =  Tuple{Type{Int8},Int8}
        Val{N} where N  &  Val{3}  =  Val{3}
        Val{3}  &  Val{4}  =  Union{}
        Array{Int8,N} where N  &  Array{T,2} where T  =  Matrix{Int8}
        ",
    );
}
