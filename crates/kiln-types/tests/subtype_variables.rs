//! Variables: quantifiers, bounds, the diagonal rule.

mod notation;
use notation::Notation;

/// A variable on the right may be chosen, one on the left must work for all.
#[test]
fn quantifiers() {
    Notation::new().check(
        "
        Vector{Int8}  <  Vector
        Vector{Int8}  <  Vector{T} where T<:Signed
        Vector{Int8}  !<:  Vector{T} where T<:AbstractFloat
        Vector{T} where T<:Int8  <  Vector{T} where T<:Signed
        Vector{T} where T<:Signed  !<:  Vector{T} where T<:Int8
        Vector  <  Array
        Vector  !<:  Vector{Any}
        Vector{Any}  <  Vector
        Array{T,N} where {T,N}  ===  Array
        Array{S,M} where {S,M}  ==  Array
        Array{T,N} where {N,T}  ==  Array
        Ref{T} where T  ==  Ref
        Vector{Vector{Int8}}  <  Vector{Vector{T}} where T
        Vector{Vector{Int8}}  !<:  Vector{Vector}
        Vector{Vector{T}} where T  !<:  Vector{Vector{T} where T}
        Vector{Vector{T} where T}  !<:  Vector{Vector{T}} where T
        Vector{Vector}  <:  Vector{<:Vector}
        Vector{Vector{T}} where T  <  Vector{S} where S<:Vector
        Pair{Int8,Int8}  <  Pair{T,T} where T
        Pair{Int8,Int16}  !<:  Pair{T,T} where T
        Pair{T,T} where T  <  Pair{A,B} where {A,B}
        Pair{A,B} where {A,B}  !<:  Pair{T,T} where T
        Pair{T,Vector{T}} where T  <  Pair{A,<:Vector} where A
        Pair{Int8,Vector{Int8}}  <  Pair{T,Vector{T}} where T
        Pair{Int8,Vector{Int16}}  !<:  Pair{T,Vector{T}} where T
        Pair{T,T} where T<:Real  <  Pair{A,B} where {B,A<:B}
        Pair{Int8,Signed}  <  Pair{A,B} where {B,A<:B}
        Pair{Signed,Int8}  !<:  Pair{A,B} where {B,A<:B}
        Vector{T} where T>:Int8  !<:  Vector{T} where T<:Signed
        Vector{Signed}  <  Vector{T} where T>:Int8
        Vector{Int16}  !<:  Vector{T} where T>:Int8
        Vector{T} where Int8<:T<:Signed  <  Vector{T} where T<:Real
        Vector{Int8}  ==  Vector{T} where Int8<:T<:Int8
        ",
    );
}

/// A variable that occurs twice in covariant position only stands for one concrete type.
#[test]
fn diagonal() {
    Notation::new().check(
        "
        Tuple{Int8,Int8}  <  Tuple{T,T} where T
        Tuple{Int8,Int16}  !<:  Tuple{T,T} where T
        Tuple{Signed,Signed}  !<:  Tuple{T,T} where T
        Tuple{T,T} where T<:Real  <:  Tuple{Any,Any}
        Tuple{T,T} where T<:Int8  ==  Tuple{Int8,Int8}
        Tuple{T,T} where T  <  Tuple{T,S} where {T,S}
        Tuple{T,S} where {T,S}  ==  Tuple{Any,Any}
        Tuple{T} where T  ==  Tuple{Any}
        Tuple{Any,Any}  !<:  Tuple{T,T} where T
        Tuple{Real}  ==  Tuple{T} where T<:Real
        Tuple{Int8,Vector{Int8}}  <  Tuple{T,Vector{T}} where T
        Tuple{Int8,Vector{Signed}}  <  Tuple{T,Vector{T}} where T
        Tuple{Int8,Int16,Vector{Signed}}  <  Tuple{T,T,Vector{T}} where T   # invariant as well: not diagonal
        Tuple{Int8,Vector{Int16}}  !<:  Tuple{T,Vector{T}} where T
        Tuple{Tuple{Int8,Int16}}  !<:  Tuple{Tuple{T,T}} where T
        Tuple{Vararg{T}} where T  <  Tuple{Vararg{Any}}
        Tuple{Int8,Int8,Int8}  <  Tuple{Vararg{T}} where T
        Tuple{Int8,Int8,Int16}  !<:  Tuple{Vararg{T}} where T
        Tuple{Int8,Int16}  !<:  Tuple{T,Vararg{T}} where T
        Tuple{Signed}  <  Tuple{Vararg{Signed}}
        Tuple{Vararg{Signed}}  !<:  Tuple{Vararg{T}} where T
        Tuple{Union{Int8,Int16},Union{Int8,Int16}}  !<:  Tuple{T,T} where T
        Tuple{T,T} where T<:Union{Int8,Int16}  <  Tuple{Union{Int8,Int16},Union{Int8,Int16}}
        Tuple{Type{Int8},Int8}  <  Tuple{Type{T},T} where T
        Tuple{Type{Signed},Int8}  <  Tuple{Type{T},T} where T
        Tuple{Type{Int8},Int16}  !<:  Tuple{Type{T},T} where T
        Tuple{Type{Union{Int8,Int16}},Union{Int8,Int16}}  <:  Tuple{Type{T},T} where T
        ",
    );
}
