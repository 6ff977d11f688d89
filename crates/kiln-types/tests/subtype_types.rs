//! Types of types, values as parameters, named tuples.

mod notation;
use notation::Notation;

/// `Type{T}` holds one type; the kinds hold all of a form.
#[test]
fn types_of_types() {
    Notation::new().check(
        "
        DataType  <  Type
        Union  <  Type
        UnionAll  <  Type
        TypeofBottom  <  Type
        TypeVar  ><  Type
        DataType  !<:  Type{T} where T<:Number
        Type{Int8}  <  DataType
        Type{Int8}  !<:  UnionAll
        Type{Vector}  <  UnionAll
        Type{Union{Int8,Int16}}  <  Union
        Type{T} where T<:Integer  !<:  DataType
        Type{AbstractArray}  ==  Type{AbstractArray}
        Type{Int8}  ><  Type{Integer}
        Type{Int8}  <  Type{T} where T<:Integer
        Type{T} where T<:Integer  <  Type{T} where T<:Number
        Type{Union{}}  ==  TypeofBottom
        TypeofBottom  <:  Type{T} where T<:Real
        Type{Union{}}  <:  Type{T} where T<:Int8
        Type{Union{}}  !<:  Type{Int8}
        Type{Ptr{Union{}}}  !<:  Type{Ptr}
        Type{Ref{Int8}}  !<:  Type{Ref}
        Type{Ref{Int8}}  <  Type{T} where T<:Ref
        Type{Tuple{}}  !<:  Type{Tuple}
        Type{Tuple{}}  <:  Type{NTuple{N,T} where T} where N
        Type{Tuple{Nothing}}  !<:  Tuple{Type{Nothing}}
        Type{Array{Integer}}  !<:  Type{AbstractArray{Integer}}
        Tuple{Type{Union{Type{Int8},Type{Int16}}},Type{Int8}}  <:  Tuple{Type{T},T} where T
        Type{Type{Int8}}  <:  Type{Type{T}} where T
        Type{Tuple{Vararg{Int8,N}} where N}  ==  Type{Tuple{Vararg{Int8}}}
        Type{Type}  <:  Type{T} where T<:Type
        DataType  !<:  Type{T} where T<:Type
        Type  <  Any
        ",
    );
}

/// Values equal only themselves, and only unbounded variables stand for them.
#[test]
fn values() {
    Notation::new().check(
        "
        Val{3}  <  Val
        Val{3}  ><  Val{4}
        Val{:a}  !<:  Val{:b}
        Val{true}  !<:  Val{1}
        Val{3}  !<:  Val{T} where T<:Integer
        Val{3}  !<:  Val{T} where T>:Int64
        Pair{Val{3},Val{3}}  <:  Pair{Val{N},Val{N}} where N
        Pair{Val{3},Val{4}}  !<:  Pair{Val{N},Val{N}} where N
        Tuple{Val{3},Val{3}}  <:  Tuple{Val{N},Val{N}} where N
        Tuple{Val{3},Val{4}}  !<:  Tuple{Val{N},Val{N}} where N
        Tuple{Val{2},Val{2}}  <:  Tuple{Vararg{Val{N},N}} where N
        Tuple{Val{2},Val{2},Val{2}}  !<:  Tuple{Vararg{Val{N},N}} where N
        Tuple{Val{3},Vararg{Val{3}}}  !<:  Tuple{Vararg{Val{N},N}} where N
        Array{Int8,2}  <:  Array{T,2} where T
        Array{Int8,2}  !<:  Array{T,1} where T
        Array{Int8,0}  <:  Array{Int8,N} where N
        Tuple{Array{Int8,0},Int8,Vararg{Int8}}  !<:  Tuple{AbstractArray{T,N},Vararg{Int8,N}} where {T,N}
        Tuple{Array{Int8,0},Vararg{Any}}  !<:  Tuple{AbstractArray{T,N},Vararg{Any,N}} where {T,N}
        Tuple{Array{Int8,0}}  <:  Tuple{AbstractArray{T,N},Vararg{Any,N}} where {T,N}
        Tuple{Array{Int8,0},Any}  !<:  Tuple{AbstractArray{T,N},Vararg{Any,N}} where {T,N}
        Ref{Tuple{Int8,Vararg{Int8,N}}} where N  <  Ref{Tuple{Vararg{Int8,N}}} where N
        Tuple{Type{Tuple{}},Tuple{Vararg{Int8,A}}} where A  !<:  Tuple{Type{Tuple{Vararg{Int32,A}}},Tuple{Vararg{Int16,A}}} where A
        Val{Val{Int8}}  <:  Val{Val{T}} where T
        Val{3}  !<:  Int64
        Tuple{3}  <:  Tuple{Any}
        ",
    );
}

/// User types: parameters of the supertype follow from those of the type.
#[test]
fn declared_supertypes() {
    Notation::new().check(
        "
        abstract Shape{T}
        abstract Solid{T} <: Shape{T}
        struct Cube{T} <: Solid{T}
        struct Labelled{T,L} <: Solid{T}
        struct Fixed <: Solid{Int8}
        Cube{Int8}  <  Shape{Int8}
        Cube{Int8}  <  Shape
        Cube  <  Shape
        Cube{Int8}  !<:  Shape{Int16}
        Cube{T} where T<:Integer  <  Shape{T} where T<:Real
        Labelled{Int8,:x}  <  Shape{Int8}
        Labelled{Int8,:x}  <  Labelled{Int8}
        Labelled{T,:x} where T  <  Labelled
        Fixed  <  Shape{Int8}
        Fixed  !<:  Shape{Int16}
        Fixed  <  Shape{T} where T<:Integer
        Tuple{Fixed,Int8}  <:  Tuple{Shape{T},T} where T
        Tuple{Fixed,Int16}  !<:  Tuple{Shape{T},T} where T
        abstract Pairing{A,B}
        struct Turned{A,B} <: Pairing{B,A}
        Turned{Int8,String}  <  Pairing{String,Int8}
        Turned{Int8,String}  !<:  Pairing{Int8,String}
        Turned{A,B} where {A,B<:A}  <  Pairing{A,B} where {B,A<:B}
        struct Same{A} <: Pairing{A,A}
        Same  <  Pairing{A,B} where {A,B}
        Same  <:  Pairing{A,A} where A
        Pairing{Int8,Int8}  !<:  Same
        struct Bounded{T<:Real}
        Bounded{Int8}  <  Bounded
        Bounded  ==  Bounded{T} where T<:Real
        Bounded  ==  Bounded{<:Real}
        Bounded{<:Integer}  <  Bounded
        struct Chain{T,V<:AbstractVector{T}}
        Chain{Int8,Vector{Int8}}  <  Chain{Int8}
        Chain{Int8,Vector{Int8}}  <  Chain{T,Vector{T}} where T
        Chain  !<:  Chain{T,Vector{T}} where T
        Chain{T,Vector{T}} where T  <  Chain
        ",
    );
}
