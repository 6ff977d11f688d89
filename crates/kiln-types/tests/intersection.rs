//! Intersections of types.

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

/// Bounds on both sides combine.
#[test]
fn bounds() {
    Notation::new().check(
        "
        Array{T} where Integer<:T<:Number  &  Array{T} where T<:Number  =  Array{T} where Integer<:T<:Number
        Array{T} where Integer<:T<:Number  &  Array{T} where T<:Real  =  Array{T} where Integer<:T<:Real
        Array{T} where Integer<:T<:Number  &  Array{T} where T<:String  =  Union{}
        Array{T} where Integer<:T<:Number  &  Array{T} where String<:T<:AbstractString  =  Union{}
        Array{T} where T<:Number  &  Array{T} where T<:String  =  Array{Union{}}
        Vector{T} where T>:Nothing  &  Vector{Int8}  =  Union{}
        T where T<:Union{Float64,Vector{Float64}}  &  Real  =  Float64
        Ref{Z} where Z<:(Tuple{T,S} where {T,S})  &  Ref{X} where X<:(Tuple{T,T} where T)  =  Ref{X} where X<:(Tuple{T,T} where T)
        Ref{Tuple{T,S} where {T,S}}  &  Ref{Tuple{T,T} where T}  =  Union{}
        Pair{<:Any,<:AbstractMatrix}  &  Pair{T,S} where {T<:AbstractFloat,S<:AbstractArray{T,2}}  =  Pair{T,S} where {T<:AbstractFloat,S<:AbstractArray{T,2}}
        struct Ring{T,V<:AbstractVector{T}}
        Ring  &  Ring{<:Any,V} where V>:Vector{Float64}  =~  Ring
        Vector{Pair{K,V}} where {K,V}  &  Vector{Pair{Int8,V}} where V  =  Vector{Pair{Int8,V}} where V
        Type{T} where T<:Vector  &  Type{Array{S,N} where S<:Number} where N  =  Type{Array{S,1} where S<:Number}
        Type{<:Tuple{Integer,Integer}}  &  Type{Tuple{Int8,T}} where T  =  Type{Tuple{Int8,T}} where T<:Integer
        Type{<:Tuple{Any,Vararg{Any}}}  &  Type{Tuple{Vararg{Int8,N}}} where N  =  Type{Tuple{Int8,Vararg{Int8,N}}} where N
        Type{<:Array}  &  Type{AbstractArray{T}} where T  =  Union{}
        Type{S} where S<:(Vector{Pair{A,N} where N} where A)  &  Type{Vector{T}} where T  =  Type{Vector{Pair{A,N} where N}} where A
        ",
    );
}

/// Tuples whose elements share variables.
#[test]
fn shared_variables() {
    Notation::new().check(
        "
        Tuple{T,AbstractArray{T}} where T  &  Tuple{Number,Array{Int8,1}}  =  Tuple{Int8,Array{Int8,1}}
        Tuple{T,AbstractArray{T}} where T  &  Tuple{Int8,Array{Number,1}}  =  Tuple{Int8,Array{Number,1}}
        Tuple{T,AbstractArray{T}} where T  &  Tuple{Any,Array{Number,1}}  =  Tuple{Number,Array{Number,1}}
        Tuple{S,Vector{S}} where S  &  Tuple{T,AbstractVector{T}} where T<:Real  =  Tuple{Real,Vector{S}} where S<:Real
        Tuple{T,Ref{T}} where T  &  Tuple{Array{Int8},Ref{AbstractVector}}  =  Tuple{Vector{Int8},Ref{AbstractVector}}
        Tuple{T,T} where T  &  Tuple{Real,Real}  =  Tuple{T,T} where T<:Real
        Tuple{T} where T  &  Tuple{Real}  =  Tuple{Real}
        Tuple{T,T} where T  &  Tuple{Union{Float64,Int64},Int64}  =  Tuple{Int64,Int64}
        Tuple{T,T} where T  &  Tuple{Int64,Union{Float64,Int64}}  =  Tuple{Int64,Int64}
        Tuple{Z,Z} where Z  &  Tuple{T,S} where {T<:Integer,S<:Number}  =  Tuple{Z,Z} where Z<:Integer
        Pair{Z,Z} where Z  &  Pair{T,S} where {T<:Integer,S<:Number}  =  Pair{Z,Z} where Z<:Integer
        Tuple{Type{Array{T,1}},Array{T,1}} where T  &  Tuple{Type{AbstractVector},Vector{Int8}}  =  Union{}
        Tuple{Type{Vector{Int8}},AbstractVector}  &  Tuple{Type{Array{T,N}},Array{S,N}} where {T,S,N}  =  Tuple{Type{Vector{Int8}},Vector}
        Tuple{Type{Vector{Int8}},AbstractArray}  &  Tuple{Type{Array{T,N}},Array{S,N}} where {T,S,N}  =  Tuple{Type{Vector{Int8}},Vector}
        Type{Array}  &  Type{AbstractArray}  =  Union{}
        Type{Tuple{Bool,Vararg{Int8}}}  &  Type{Tuple{Vararg{T}} where T}  =  Union{}
        Tuple{Vararg{T}} where T  &  Tuple{Float64,Int8}  =  Union{}
        struct Fraction{T<:Integer} <: Real
        Tuple{Fraction{T},T} where T<:Integer  &  Tuple{Fraction{Integer},Int8}  =  Tuple{Fraction{Integer},Int8}
        Pair{T,Ptr{T}} where T  &  Pair{Ptr{S},S} where S  =  Union{}
        Tuple{Type{T},T} where T  &  Tuple{Type{Type{Float64}},Type{Int8}}  =  Union{}
        Tuple{T,T} where T  &  Tuple{String,S} where S<:Int8  =  Union{}
        abstract AbstractDictish{K,V}
        struct Dictish{K,V} <: AbstractDictish{K,V}
        Tuple{Dictish{Int8,Int8},Ref{Pair{K,V}}} where {K,V}  &  Tuple{AbstractDictish{Int8,Int8},Ref{Pair{T,T}} where T}  =  Tuple{Dictish{Int8,Int8},Ref{Pair{K,K}}} where K
        Tuple{Ref{Ref{T}} where T,Ref}  &  Tuple{Ref{T},Ref{T}} where T  =  Tuple{Ref{Ref{T}},Ref{Ref{T}}} where T
        Tuple{Ref{Ref{T}} where T,Ref{Ref{Int8}}}  &  Tuple{Ref{T},Ref{T}} where T  =  Tuple{Ref{Ref{Int8}},Ref{Ref{Int8}}}
        Tuple{Int8,Ref{Pair{K,V}}} where {K,V}  &  Tuple{Any,Ref{Pair{T,T}} where T}  =  Tuple{Int8,Ref{Pair{T,T}} where T}
        Pair{L,Tuple{L,Pair{L,H}}} where {L,H}  &  Pair{R,Tuple{Pair{R,H},R}} where {R,H}  =  Union{}
        Val{Pair{T,T}} where T  &  Val{Pair{Int8,T}} where T  =  Val{Pair{Int8,Int8}}
        Tuple{DataType,Any}  &  Tuple{Type{T},Int8} where T  =  Tuple{DataType,Int8}
        Tuple{Ref{Pair{A,B}},Pair{C,Pair}} where {A,B,C}  &  Tuple{Ref{Pair{D,E}},Pair{D}} where {D,E}  =  Tuple{Ref{Pair{A,B}},Pair{A,Pair}} where {A,B}
        Tuple{Any,Type{Union{Nothing,Int8}}}  &  Tuple{T,Type{Union{Nothing,T}}} where T  =~  Tuple{Any,Type{Union{Nothing,Int8}}}
        Tuple{Pair{Int8,DataType},Any}  &  Tuple{Pair{A,B} where B<:Type,Int8} where A  =  Tuple{Pair{Int8,DataType},Int8}
        Tuple{Type{Val{T}},Integer,T} where T  &  Tuple{Type,Int8,Any}  =  Tuple{Type{Val{T}},Int8,T} where T
        Tuple{Type{Val{T}},Integer,T} where T  &  Tuple{Type,Int8,Integer}  =  Tuple{Type{Val{T}},Int8,Integer} where T   # `T` may be `Any`
        ",
    );
}

/// Lengths that are variables, and values.
#[test]
fn lengths_and_values() {
    Notation::new().check(
        "
        Tuple{NTuple{N,Integer},NTuple{N,Integer}} where N  &  Tuple{Tuple{Integer,Integer},Tuple{Vararg{Integer}}}  =  Tuple{Tuple{Integer,Integer},Tuple{Integer,Integer}}
        Tuple{NTuple{N,Integer},NTuple{N,Integer}} where N  &  Tuple{Tuple{Vararg{Integer}},Tuple{Integer,Integer}}  =  Tuple{Tuple{Integer,Integer},Tuple{Integer,Integer}}
        Tuple{NTuple{N,Any},Array{Int8,N}} where N  &  Tuple{Tuple{Int8,Vararg{Int8}},Array{Int8,2}}  =  Tuple{Tuple{Int8,Int8},Array{Int8,2}}
        Tuple{Vararg{Int8}}  &  Tuple{Vararg{Bool}}  =  Tuple{}
        Type{Tuple{Vararg{Int8}}}  &  Type{Tuple{Vararg{Bool}}}  =  Union{}
        Tuple{Bool,Vararg{Int8}}  &  Tuple{Vararg{Bool}}  =  Tuple{Bool}
        Tuple{Array{Int8,N},Vararg{Int8,N}} where N  &  Tuple{Vector{Int8},Real,Real,Real}  =  Union{}
        Tuple{Array{Int8,N},Vararg{Int8,N}} where N  &  Tuple{Array{Int8,0}}  =  Tuple{Array{Int8,0}}
        Tuple{Array{Int8,N},Vararg{Int8,N}} where N  &  Tuple{Matrix{Int8}}  =  Union{}
        Tuple{Int8,Vararg{Int8}}  &  Tuple{Int8,Int8,Int8,Vararg{Float64}}  =  Tuple{Int8,Int8,Int8}
        Tuple{Int8,Vararg{Int8}}  &  Tuple{Int8,Vararg{Float64}}  =  Tuple{Int8}
        Tuple{Array{Int8,N},Vararg{Int8,N}} where N  &  Tuple{Matrix{Int8},Int8,Int8,Vararg{Float64}}  =  Tuple{Matrix{Int8},Int8,Int8}
        Tuple{Array{Int8,N},Vararg{Int8,N}} where N  &  Tuple{Matrix{Int8},Int8,Vararg{Float64}}  =  Union{}
        Tuple{Vector{Any},Tuple{Int64,Int64,Vararg{Int64}}}  &  Tuple{Array{T,N},NTuple{N,Int64}} where {T,N}  =  Union{}
        NTuple{N,Int8} where N  &  NTuple{N,Float64} where N  =  Tuple{}
        Type{NTuple{N,Int8}} where N  &  Type{NTuple{N,String}} where N  =  Type{Tuple{}}
        Type{NTuple{N,Int8}} where N  &  Type{Tuple{Vararg{Int8}}}  =  Union{}
        Tuple{Vararg{Val{N},N}} where N  &  Tuple{Val{2},Vararg{Val{2}}}  =  Tuple{Val{2},Val{2}}
        Tuple{Vararg{Val{N},N}} where N  &  Tuple{Val{3},Vararg{Val{3}}}  =  Tuple{Val{3},Val{3},Val{3}}
        Tuple{Vararg{Val{N},N}} where N  &  Tuple{Val{1},Vararg{Val{2}}}  =  Tuple{Val{1}}
        Tuple{Vararg{Val{N},N}} where N  &  Tuple{Val{2},Vararg{Val{3}}}  =  Union{}
        Tuple{Pair{Int8,2},NTuple{N,T} where {N,T}}  &  Tuple{Pair{F,N},NTuple{N,F}} where {F,N}  =  Tuple{Pair{Int8,2},Tuple{Int8,Int8}}
        Tuple{Val{0},Val{Val{N}}} where N  &  Tuple{Val{N},Val{Val{N}}} where N  =  Tuple{Val{0},Val{Val{0}}}
        Tuple{Val{Val{N}},Val{0}} where N  &  Tuple{Val{Val{N}},Val{N}} where N  =  Tuple{Val{Val{0}},Val{0}}
        Tuple{Array{NTuple{N,Int8},N},NTuple{N,Vector{Int8}}} where N  &  Tuple{Vector{Tuple{Int8}},Tuple}  =  Tuple{Vector{Tuple{Int8}},Tuple{Vector{Int8}}}
        Tuple{Tuple{Vararg{Any,T}},:N} where T  &  Tuple{Tuple{Vararg{Any,T}},T} where T  =  Union{}
        Tuple{Int8,Vararg{Any,T}} where T  &  Tuple{T,Vararg{Any,T}} where T  =  Union{}
        Tuple{0}  &  Tuple{T} where T  =  Tuple{0}
        Tuple{Int8,Any,Vararg{A}} where A>:Integer  &  Tuple{Any,Int8,Vararg{A}} where A>:Integer  =  Tuple{Int8,Int8,Vararg{A}} where A>:Integer
        ",
    );
}

/// Unions that hold variables, and types that inherit in roundabout ways.
#[test]
fn unions_and_supertypes() {
    Notation::new().check(
        "
        abstract Thing{T,N}
        mutable RealThing{T<:AbstractFloat,N} <: Thing{T,N}
        Thing{T,2} where T  &  RealThing  =  RealThing{T,2} where T<:AbstractFloat
        Tuple{Union{Int8,T},Union{Vector{T},Vector{String}}} where T  &  Tuple{Integer,Vector{Int16}}  =  Tuple{Union{Int8,Int16},Vector{Int16}}
        Tuple{Union{Int8,T},Union{Vector{T},Vector{String}}} where T  &  Tuple{Int8,Vector{Int16}}  =  Tuple{Int8,Vector{Int16}}
        Union{DataType,Int8}  &  Type  =  DataType
        DataType  &  Type{T} where T<:Integer  =  Type{T} where T<:Integer
        TypeofBottom  &  Type{T} where T<:Tuple  =  Type{Union{}}
        Type{Tuple{Vararg{T}}} where T  &  Type{Tuple}  =  Type{Tuple}
        Tuple{Type{S},Tuple{Any,Vararg{Any}}} where S<:Tuple{Any,Vararg{Any}}  &  Tuple{Type{T},T} where T  =  Tuple{Type{S},Tuple{Any,Vararg{Any}}} where S<:Tuple{Any,Vararg{Any}}
        struct Holder{T} <: Ref{T}
        Holder  &  Ref{Union{Int8,T}} where T  =  Holder{Union{Int8,T}} where T
        Holder{<:Tuple}  &  Ref{Tuple{M}} where M  =  Holder{Tuple{M}} where M
        Tuple{Int8,Array{T}} where T  &  Tuple{Any,Vector{Union{Nothing,T}}} where T  =  Tuple{Int8,Vector{Union{Nothing,T}}} where T
        Union{Array{T,1},Array{T,2}} where T<:Union{Float32,Float64}  &  Union{AbstractMatrix{Float32},AbstractVector{Float32}}  =  Union{Matrix{Float32},Vector{Float32}}
        abstract Base3{T,D,d}
        abstract Mid{S,T,D,d} <: Base3{T,D,d}
        struct Leaf{S,n,T,D,d} <: Mid{NTuple{n,S},T,D,d}
        Tuple{Base3{R,D,d} where {D,d},Int8} where R  &  Tuple{Leaf{S,n,T,D,d} where {S,n,T,D,d},Any}  =  Tuple{Leaf,Int8}
        struct Text{C} <: AbstractString
        struct Coding{X}
        Tuple{Type{Text{Coding{1}}},Text{Coding{2}}}  &  Tuple{Type{<:Text{C}},Text{C}} where C<:Coding  =  Union{}
        struct Flat{N,L}
        Tuple{Type{Flat{Int8,L} where L},Type{Flat{Int8,Int16}}}  &  Tuple{Type{<:Flat{N,L}},Type{<:Flat{N,L}}} where {N,L}  =  Union{}
        Tuple{Type{Flat{2,L}},Type{Flat{2,L}}} where L  &  Tuple{Type{<:Flat{N,L}},Type{<:Flat{N,L}}} where {N,L}  =  Tuple{Type{Flat{2,L}},Type{Flat{2,L}}} where L
        Tuple{Type{<:AbstractVector{T}},Int8} where T  &  Tuple{Type{Vector},Any}  =  Union{}
        Type{NTuple{N,E}} where {N,E}  &  Type{NTuple{N,E} where N} where E  =  Union{}
        Tuple{Ref{Integer},Int8,Any}  &  Tuple{Ref{Z},Z,Z} where Z  =  Tuple{Ref{Integer},Int8,Integer}
        struct Fract{T<:Integer} <: Real
        Tuple{Any,Fract{Int64},Int64}  &  Tuple{L,R,I} where {I<:Integer,R<:Fract{I},L<:Union{I,R}}  =  Tuple{L,Fract{Int64},Int64} where L<:Union{Fract{Int64},Int64}
        ",
    );
}

/// A variable that is bound outside two others, one of which takes the other's place, is still bound outside both.
#[test]
fn bounds_that_follow_each_other() {
    Notation::new().check(
        "
        Tuple{T,T} where T  &  Tuple{Val{A},B} where {B,A}  =  Tuple{T,T} where T<:Val{A} where A
        ",
    );
}
