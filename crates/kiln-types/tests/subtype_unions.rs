//! Unions: choices on both sides, and together with variables.

mod notation;
use notation::Notation;

/// Each member on the left needs some member on the right.
#[test]
fn closed_unions() {
    Notation::new().check(
        "
        Union{}  ===  Union{Union{},Union{}}
        Int8  <  Union{Int8,String}
        Union{Int8,Int16}  <  Integer
        Union{Int8,Int16}  ===  Union{Int16,Int8}
        Union{Int8,Integer}  ===  Integer
        Union{Int8,Union{Int16,String}}  ===  Union{String,Int8,Int16}
        Union{Int8,Int16}  !<:  Int8
        Union{Int8,String}  ><  Integer
        Tuple{Union{Int8,Int16},String}  ==  Union{Tuple{Int8,String},Tuple{Int16,String}}
        Ref{Tuple{Union{Int8,Int16},String}}  ==  Ref{Union{Tuple{Int8,String},Tuple{Int16,String}}}
        Ref{Union{Int8,Int16}}  ><  Union{Ref{Int8},Ref{Int16}}
        Tuple{Int8,Int16,Int8}  <  Tuple{Vararg{Union{Int8,Int16}}}
        Union{Int8,Ref{Union{Int8,Int16}}}  !<:  Union{Int8,Ref{Union{Int16,Int32}}}
        Union{Int8,Int16,Int32}  <  Union{Int8,Int16,Int32,Int64}
        Union{Int8,Int16,Int32,Int64}  !<:  Union{Int8,Int16,Int64}
        Tuple{Union{Int8,Int16},Union{Int8,Int16}}  <  Tuple{Integer,Integer}
        Tuple{Union{Int8,Int16},Union{Int8,Int16}}  !<:  Union{Tuple{Int8,Int8},Tuple{Int16,Int16}}
        Union{Tuple{Int8,Int8},Tuple{Int16,Int16}}  <  Tuple{Union{Int8,Int16},Union{Int8,Int16}}
        Vector{Float64}  !<:  Vector{Union{Float64,Float32}}
        Union{Vector{Int8},Matrix{Int8}}  <  Array{Int8}
        Tuple{Union{Int8,String,Symbol}}  ==  Union{Tuple{Int8},Tuple{String},Tuple{Symbol}}
        Union{Nothing,Int8}  ><  Signed
        ",
    );
}

/// A union that holds a variable.
#[test]
fn with_variables() {
    Notation::new().check(
        "
        Tuple{String,Vector{Int8}}  <:  Union{Tuple{T,Vector{T}},Tuple{T,Vector{Int8}}} where T
        Tuple{Union{Vector{Int8},Vector{Int16}}}  <:  Tuple{Vector{T}} where T
        Tuple{Union{Vector{Int8},Vector{Int16}},Vector{Int8}}  !<:  Tuple{Vector{T},Vector{T}} where T
        Tuple{Union{Vector{Int8},Vector{Int16}},Vector{Int16}}  !<:  Tuple{Vector{T},Vector{T}} where T
        Vector{T} where Int8<:T<:Union{Int8,Int16}  <:  Vector{S} where Int8<:S<:Union{Int8,Int16}
        Tuple{Array{Int8},Array{Vector{Int16}},Array{Vector{Int8}},Array{Int8}}  !<:  Tuple{Vararg{Union{Array{S},Array{Array{S,1}}}}} where S
        Tuple{Array{Int8},Array{Vector{Int8}},Array{Vector{Int8}},Array{Int8}}  <:  Tuple{Vararg{Union{Array{S},Array{Array{S,1}}}}} where S
        Array{Tuple{Array{Int8},Array{Vector{Int8}}}}  <:  Array{T} where T<:(Tuple{Vararg{Union{Array{S},Array{Array{S,1}}}}} where S)
        Array{Tuple{Array{Int8},Array{Vector{Int16}}}}  !<:  Array{T} where T<:(Tuple{Vararg{Union{Array{S},Array{Array{S,1}}}}} where S)
        Tuple{Int8,T,Ref{Int8}} where T<:(Tuple{S,Tuple{Any,Any,Any},Ref{S}} where S<:Union{Int8,Int16})  !<:  Tuple{S,Tuple{Any,Any},Ref{S}} where S<:Union{Int8,Int16}
        Tuple{Int8,T,Ref{Int8}} where T<:(Tuple{S,Tuple{Any,Any,Any},Ref{S}} where S<:Union{Int8,Int16})  <:  Tuple{S,Tuple{Any,Any,Any},Ref{S}} where S<:Union{Int8,Int16}
        Ref{Union{Ref{Int8},Ref{Int16}}}  !<:  Ref{Ref{T}} where T
        Tuple{Union{Ref{Int8},Ref{Int16}}}  <:  Tuple{Ref{T}} where T
        Ref{T} where T<:Tuple{Union{Int8,Int16},String}  ==  Ref{T} where T<:Union{Tuple{Int8,String},Tuple{Int16,String}}
        Ref{Tuple{Union{Int8,Int16},String,T}} where T  ==  Ref{Union{Tuple{Int8,String,S},Tuple{Int16,String,S}}} where S
        Ref{Union{Int8,T}} where T  ==  Ref{Union{Int8,S}} where S
        Pair{Union{Int8,T},T} where T  ==  Pair{Union{Int8,S},S} where S
        Val{Val{Union{Int8,Int16,Int32,Int64,UInt8}}}  <:  Val{Val{Union{Int8,Int16,Int32,Int64,S}}} where S
        Vector{Union{Int128,Int16,Int32,Int8}}  <:  Vector{Union{Int128,Int32,Int8,T}} where T
        Vector{Vector{Number}}  !<:  Vector{Union{Vector{Number},Vector{S}}} where S<:Integer
        Ref{Union{Int8,Ref{Number}}}  !<:  Ref{Union{Ref{T},T}} where T
        Ref{Union{Int8,Ref{Int8}}}  <:  Ref{Union{Ref{T},T}} where T
        Ref{Union{Ref{Int8},Ref{Number}}}  !<:  Ref{Ref{T}} where T
        Tuple{T} where T<:Union{Int8,Bool}  <:  Union{Tuple{Int8},Tuple{Bool}}
        Tuple{Type{Union{Nothing,Float64}},Type{Vector{Nothing}}}  !<:  Tuple{Type{T},Type{Vector{T}}} where T
        Tuple{Type{Union{Nothing,Float64}},Type{Vector{Union{Nothing,Float64}}}}  <:  Tuple{Type{T},Type{Vector{T}}} where T
        Tuple{Int8,Union{Int8,String}}  <:  Tuple{T,Union{T,String}} where T
        Tuple{String,Union{Int8,String}}  !<:  Tuple{T,Union{T,Int16}} where T
        struct Mixed{T,N,S} <: AbstractArray{Union{T,S},N}
        Tuple{Mixed{Int8,1,T} where T}  <:  Tuple{AbstractArray{T,N}} where {T,N}
        struct Wrapped{T,N,S} <: AbstractArray{Union{Ref{T},S},N}
        Tuple{Wrapped{T,1,Nothing} where T}  <:  Tuple{AbstractArray{T,N}} where {T,N}
        Union{Tuple{Int8,Bool},Tuple{String,Bool}}  <:  Tuple{Union{T,Int8},Bool} where T
        ",
    );
}
