//! Which of two signatures dispatch prefers.

mod notation;
use notation::Notation;

/// Subtypes come first.
#[test]
fn subtypes() {
    Notation::new().check(
        "
        Tuple{Int8}  <<  Tuple{Integer}
        Tuple{Int8,Int8}  <<  Tuple{Vararg{Int8}}
        Tuple{T,T} where T  <<  Tuple{Any,Any}
        Tuple{Type{Int8}}  <<  Tuple{Type}
        Tuple{Type{Int8}}  <<  Tuple{DataType}
        Tuple{Vector{Int8}}  <<  Tuple{Vector}
        Tuple{Int8}  !<<  Tuple{Int8}
        Tuple{Int8}  !<<  Tuple{String}
        Tuple{Any}  !<<  Tuple{Int8}
        Tuple{Val{1}}  <<  Tuple{Val}
        ",
    );
}

/// Signatures that overlap without inclusion.
#[test]
fn overlaps() {
    Notation::new().check(
        "
        Tuple{Int8,Any}  !<<  Tuple{Any,Int8}
        Tuple{Any,Int8}  !<<  Tuple{Int8,Any}
        Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}  <<  Tuple{AbstractArray,Vararg{Int64}}
        Tuple{Vector{T}} where T<:Real  <<  Tuple{AbstractVector}
        Tuple{AbstractVector{<:Integer}}  <<  Tuple{AbstractArray{<:Real}}
        Tuple{Int8,Vararg{Int8}}  <<  Tuple{Int8,Vararg{Any}}
        Tuple{Union{Int8,String}}  <<  Tuple{Union{Signed,AbstractString}}
        Tuple{Type{T},T} where T<:Integer  <<  Tuple{Type{T},Any} where T
        Tuple{Type{T},Vararg{Any}} where T<:Integer  <<  Tuple{Type,Vararg{Any}}
        Tuple{T,T} where T<:Number  <<  Tuple{Number,Number}
        Tuple{Array{T,1},T} where T  <<  Tuple{Array,Any}
        ",
    );
}

/// Types as arguments.
#[test]
fn types_as_arguments() {
    Notation::new().check(
        "
        Tuple{Type{T},T} where T<:Integer  <<  Tuple{Type{T},Integer} where T<:Integer
        Tuple{Type{T},Ptr{Integer}} where T<:Integer  <<  Tuple{Type{T},Ptr{T}} where T<:Integer   # a closed parameter before a variable
        Type{T} where T<:Integer  !<<  Type{Any}
        Tuple{Any,TypeofBottom}  <<  Tuple{Any,Type{T}} where T<:Number
        Tuple{Type{Pair{A,B} where B}} where A  <<  Tuple{DataType}
        Tuple{Union{Int8,String},Type{Pair{A,B} where B}} where A  <<  Tuple{Integer,UnionAll}
        Tuple{Type{Any},Any}  !<<  Tuple{Type{T},Any} where T<:Signed
        Tuple{Type{T},Any} where T<:Signed  !<<  Tuple{Type{Any},Any}
        Tuple{Type{T},Tuple{Any,Vararg{Any}}} where T<:Tuple{Any,Vararg{Any}}  !<<  Tuple{Type{Any},Any}
        Tuple{Type{T},Tuple{Any,Vararg{Any}}} where T<:Tuple{Any,Vararg{Any}}  !<<  Tuple{Type{Tuple},Tuple}
        struct Maybe{T}
        Tuple{Type{Maybe{T}}} where T  <<  Tuple{Type{T},Any} where T
        Tuple{Type{Maybe{T}},T} where T  !<<  Tuple{Type{Maybe{T}}} where T
        Tuple{Type{Tuple},Any,Any}  <<  Tuple{Type{Tuple{Vararg{E}}},Any,Any} where E
        Tuple{Type{Tuple{}},Tuple{}}  <<  Tuple{Type{T},T} where T<:Tuple{Any,Vararg{Any}}
        struct Index{N}
        Tuple{Type{Index{N}}} where N  <<  Tuple{Type{Index{N}},Vararg{Int64,N}} where N
        Tuple{Type{Pair},Pair}  <<  Tuple{Type{D},D} where D<:Pair
        Tuple{Type{D},D} where D<:Pair  !<<  Tuple{Type{Any},Any}
        Tuple{Type{Pair},Pair}  !<<  Tuple{Type{Any},Any}
        Tuple{Type{Union{Int8,Float32}}}  <<  Tuple{Union}
        Tuple{Type{Array{T,1}},Int64} where T  <<  Tuple{Type{Array{T,N}},Vararg{Int64,N}} where {T,N}
        Tuple{Type{T}} where T<:Integer  <<  Tuple{Type{T}} where T<:Real
        Tuple{Type{Int8},Int8}  <<  Tuple{Type{T},T} where T
        Tuple{DataType}  <<  Tuple{Type}
        Tuple{Type{T}} where T<:Array  <<  Tuple{DataType}
        Tuple{Type{Vector{T}}} where T  <<  Tuple{Type{T}} where T<:AbstractArray
        Tuple{Type{Union{}}}  <<  Tuple{Type{T}} where T<:Real
        ",
    );
}

/// Lengths.
#[test]
fn varargs() {
    Notation::new().check(
        "
        Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}  <<  Tuple{Array,Int64}
        Tuple{Array,Int64}  <<  Tuple{Array,Vararg{Int64,N}} where N
        Tuple{T,Vararg{T}} where T<:Number  <<  Tuple{Number,Number,Vararg{Number}}
        Tuple{Int64,Int64,Vector}  <<  Tuple{Int64,Vararg{Any}}
        Tuple{Any,Tuple{Vararg{Integer}}}  <<  Tuple{Any,Tuple{Any}}
        Tuple{Any,Tuple{}}  <<  Tuple{Any,Tuple{Vararg{Integer}}}
        Tuple{Any,Tuple{}}  <<  Tuple{Any,Tuple{Any}}
        Tuple{Any,Tuple{},Tuple{}}  <<  Tuple{Any,Tuple{Any}}
        Tuple{Any,Tuple{Any},Tuple{Any}}  <<  Tuple{Any,Tuple{Any,Any}}
        Tuple{Any,Vararg{Tuple{}}}  <<  Tuple{Any,Tuple{Any}}
        Tuple{T,T} where T<:AbstractFloat  <<  Tuple{T,T,T} where T<:AbstractFloat
        Tuple{T,Real,T} where T<:AbstractFloat  <<  Tuple{T,T} where T<:Real
        Tuple{Real,Real}  <<  Tuple{T,T,T} where T<:Real
        Tuple{Real,Real,Real}  !<<  Tuple{T,T,T} where T<:Real
        Tuple{Real,Real,Vararg{Real}}  !<<  Tuple{T,T,T} where T<:Real
        Tuple{Real,Real,Vararg{Int64}}  <<  Tuple{T,T,T} where T<:Real
        Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}  <<  Tuple{AbstractArray,Int64,Array}
        Tuple{Array,Int64}  <<  Tuple{AbstractArray,Int64,Array}
        Tuple{Int8,Int8,Vararg{Any}}  <<  Tuple{Int8,Vararg{Any}}
        Tuple{Int8}  <<  Tuple{Int8,Vararg{Any}}
        Tuple{}  <<  Tuple{Vararg{Any}}
        Tuple{NTuple{N,Int8},AbstractArray{T,N}} where {T,N}  <<  Tuple{NTuple{M,Int8},AbstractArray{T,N}} where {T,M,N}
        Tuple{Tuple{},AbstractArray{T,0}} where T  <<  Tuple{NTuple{N,Int8},AbstractArray{T,N}} where {T,N}
        Tuple{Any,Tuple{Any,Any,Vararg{Any}}}  <<  Tuple{Any,Tuple}
        Tuple{Vararg{Int8}}  <<  Tuple{Vararg{Integer}}
        Tuple{Int8,Vararg{String}}  <<  Tuple{Integer,Vararg{AbstractString}}
        ",
    );
}

/// Variables and inherited names.
#[test]
fn variables() {
    Notation::new().check(
        "
        Tuple{Array,T} where T<:Tuple{Vararg{Integer}}  <<  Tuple{AbstractArray,Tuple{Vararg{Integer}}}
        Tuple{Array{T} where T<:Union{Float32,Float64},Any}  <<  Tuple{Array{T} where T<:Real,Any}
        Tuple{1,T} where T  <<  Tuple{Any}
        Tuple{T} where T  <<  Tuple{T,T} where T
        Tuple{Array}  <<  Tuple{AbstractVector}
        Tuple{Matrix}  <<  Tuple{AbstractVector}
        Tuple{Ref{T},Tuple{T}} where T  <<  Tuple{Ref,Tuple{T}} where T
        Tuple{Ref{T},Tuple{T}} where T  <<  Tuple{Ref{T},Tuple{Vararg{T}}} where T
        Tuple{Ref,Tuple{T}} where T  !<<  Tuple{Ref{T},Tuple{Vararg{T}}} where T
        Tuple{Ref{T},Tuple{Vararg{T}}} where T  !<<  Tuple{Ref,Tuple{T}} where T
        Tuple{T} where T  <<  Tuple{T,Vector{T}} where T
        Tuple{T} where T<:AbstractFloat  <<  Tuple{T} where T
        Tuple{T} where T<:AbstractFloat  <<  Tuple{T,Vector{T}} where T
        Tuple{Vector{T},Vector{T}} where T  <<  Tuple{Vector,Vector}
        Tuple{Pair{T,T}} where T  <<  Tuple{Pair}
        Tuple{Pair{Int8,T}} where T  <<  Tuple{Pair}
        Tuple{Val{1}}  <<  Tuple{Val{N}} where N
        Tuple{Array{Int8}}  <<  Tuple{AbstractArray{T}} where T<:Integer
        Tuple{Union{Int8,Nothing}}  <<  Tuple{Any}
        Tuple{Nothing}  <<  Tuple{Union{Nothing,Int8}}
        Tuple{Vector{<:Integer},Any}  <<  Tuple{Vector,Any}
        Tuple{Function,Vector}  !<<  Tuple{Any,Vector{Int8}}
        ",
    );
}
