//! The diagonal rule in its corners.

mod notation;
use notation::Notation;

/// An occurrence in an invariant constructor switches the rule off; one in a union counts only if it is used.
#[test]
fn mixed_occurrences() {
    Notation::new().check(
        "
        Tuple{String,Real,Ref{Number}}  <  Tuple{Union{T,String},T,Ref{T}} where T
        Tuple{String,Real}  <  Tuple{Union{T,String},T} where T
        Tuple{Real,Real}  !<:  Tuple{Union{T,String},T} where T
        Tuple{Int8,Int8}  <  Tuple{Union{T,String},T} where T
        Tuple{T,T,Ref{T}} where T  !<:  Tuple{S,S,Ref{Q} where Q} where S
        Tuple{T,T,Ref{T}} where T  !<:  Tuple{S,S,Ref{Q} where Q} where S<:Signed
        Tuple{T,T,Ref{T}} where T  !<:  Tuple{S,S,Ref{Q} where Q} where S<:Int8
        Tuple{T,T,Ref{T}} where T<:Int8  <:  Tuple{S,S,Ref{Q} where Q} where S
        Tuple{T,T,Ref{T}} where T>:Int8  !<:  Tuple{S,S,Ref{Q} where Q} where S
        Tuple{T,T,Ref{T}} where T>:Signed  !<:  Tuple{S,S,Ref{Q} where Q} where S
        Tuple{T,T,Vector{T}} where T  !<:  Tuple{T,T,Any} where T
        Union{Tuple{Int8,Bool},Tuple{P,Bool}} where P  !<:  Tuple{Union{T,Int8},T} where T
        Tuple{Ref{Tuple{N,N}},Ref{N}} where N  <  Tuple{Ref{Tuple{A,A}},Ref{B}} where {A,B}
        Tuple{Type{Tuple{Vararg{T}} where T<:Signed},Tuple{String,Int8}}  !<:  Tuple{Type{Tuple{Vararg{T}}},Tuple{Vararg{T}}} where T
        Tuple{Int8,String,Vector{Integer}}  !<:  Tuple{T,T,Vector{T}} where T
        Tuple{Int8,String,Vector{Tuple{Integer}}}  !<:  Tuple{T,T,Vector{Tuple{T}}} where T
        Tuple{Int8,String,Vector{Any}}  <:  Tuple{T,T,Vector{T}} where T
        Tuple{Vector{Int8},Signed}  !<:  Tuple{Vector{T},T} where T<:Signed
        Tuple{Signed,Vector{Int8}}  !<:  Tuple{T,Vector{T}} where T<:Signed
        Tuple{T,String,Ref{T}} where T  !<:  Tuple{T,T,Ref{T}} where T
        Tuple{T,Ref{T},String} where T  !<:  Tuple{T,Ref{T},T} where T
        Tuple{T,T,Ref{T}} where T  ==  Tuple{S,S,Ref{S}} where S
        Tuple{Type{Any},Int8,Float64,String}  <:  Tuple{Type{T},Vararg{T}} where T
        Tuple{T,S} where T<:Signed where S<:Number  !<:  Tuple{S,T} where T<:Signed where S<:Number
        Tuple{Type{Int8},Type{Int16}}  <:  Tuple{T,T} where T          # both are `DataType`s
        Tuple{Type{Int8},Type{Union{}}}  !<:  Tuple{T,T} where T
        Tuple{Type{Vector},Type{Matrix}}  <:  Tuple{T,T} where T
        Tuple{Type{Vector},Type{Int8}}  !<:  Tuple{T,T} where T
        ",
    );
}

/// Through `Vararg` and nested tuples.
#[test]
fn repeated() {
    Notation::new().check(
        "
        Tuple{Int8,Int8}  <  Tuple{E,E,Vararg{E,N}} where E where N
        Tuple{Int8,Int8}  <  Tuple{Int8,Int8,Vararg{Int8,N}} where N
        Tuple{T,Vararg{T,2}} where T<:Real  ==  Tuple{Vararg{T,3}} where T<:Real
        Tuple{Vararg{T,3}} where T<:Real  !<:  Tuple{Any,Any,Any,Any,Vararg{Any}}
        Tuple{Float64,Vararg{Int64,2}}  ==  Tuple{Float64,T,T} where T<:Int64
        Tuple{Float64,T,T} where T<:Int64  <  Tuple{Float64,Any,Vararg{Integer}}
        Tuple{Int64,Tuple{T},Vararg{T,3}} where T<:Int64  <  Tuple{Int64,Any,Any,Any,Integer}
        Tuple{Int8,Vararg{T,3}} where T<:Real  !=  Tuple{Int8,Real,Vararg{T,2}} where T<:Integer
        Tuple{Int64,Float64,Int64,Float64,Int64,Float64,Int64,Float64}  !<:  Tuple{Vararg{T}} where T<:Number
        NTuple{100,Int8}  <:  Tuple{Vararg{T}} where T<:Number
        NTuple{60,Vector{Int8}}  <:  Tuple{Vararg{Union{Array{T,1},Array{T,2},Array{T,3}}}} where T
        Tuple{Tuple{Vararg{Int8}},Tuple{Vararg{Int16}}}  !<:  Tuple{Tuple{Vararg{T}},Tuple{Vararg{T}}} where T
        Tuple{Tuple{Vararg{Int8}},Tuple{Vararg{Int8}}}  <:  Tuple{Tuple{Vararg{T}},Tuple{Vararg{T}}} where T
        Tuple{Type{T},T} where T<:NTuple{12,Union{Nothing,Ref}}  !<:  Tuple{Type{Tuple{Vararg{V}}},Tuple{Vararg{V}}} where V
        Tuple{Type{Any},NTuple{4,Union{Int8,Nothing}}}  <:  Tuple{Type{V},Tuple{Vararg{V}}} where V
        ",
    );
}
