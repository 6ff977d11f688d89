//! Tuples are covariant; `Vararg` gives them lengths that vary.

mod notation;
use notation::Notation;

/// Element by element, and never of different lengths.
#[test]
fn covariance() {
    Notation::new().check(
        "
        Int64  <  Integer
        Int8  ><  Int16
        Bool  <  Integer
        Float32  <  AbstractFloat
        String  <  AbstractString
        Any  ==  Any
        Union{}  <  Int64
        Tuple{}  <  Tuple
        Tuple{Int8}  <  Tuple{Integer}
        Tuple{Int8,String}  <  Tuple{Real,Any}
        Tuple{Int8}  ><  Tuple{Int8,Int8}
        Tuple{Int8,Int8}  !<:  Tuple{Int8}
        Tuple{Real}  !<:  Tuple{Int8}
        Tuple{Union{}}  <  Tuple{Int8}
        Tuple{Tuple{Int8}}  <  Tuple{Tuple{Signed}}
        Tuple{}  !<:  Tuple{Int64}
        Array{Int8,1}  ><  Array{Integer,1}     # other constructors are invariant
        Ref{Int8}  ><  Ref{Signed}
        Array{Int8,1}  <  DenseArray{Int8,1}
        Array{Int8,1}  <  AbstractArray{Int8,1}
        Array{Int8,1}  !<:  AbstractArray{Int8,2}
        Ptr{Int8}  <  Ref{Int8}
        ",
    );
}

/// `Vararg` stands for any number of elements, or for as many as its length says.
#[test]
fn varargs() {
    Notation::new().check(
        "
        Tuple{Int8,Int8}  <  Tuple{Vararg{Int8}}
        Tuple{}  <  Tuple{Vararg{Int8}}
        Tuple{Vararg{Int8}}  <  Tuple{Vararg{Integer}}
        Tuple{Int8,Vararg{Int8}}  <  Tuple{Vararg{Int8}}
        Tuple{Vararg{Int8}}  !<:  Tuple{Int8,Vararg{Int8}}
        Tuple{Int8,Int8,Vararg{Int8}}  <  Tuple{Int8,Vararg{Int8}}
        Tuple{Vararg{Int8}}  !<:  Tuple{Int8}
        Tuple{Int8}  !<:  Tuple{Int8,Int8,Vararg{Int8}}
        Tuple{Int8,String}  !<:  Tuple{Vararg{Int8}}
        Tuple{Int8,String}  <  Tuple{Int8,Vararg{AbstractString}}
        Tuple{Vararg{Int8,2}}  ===  Tuple{Int8,Int8}
        Tuple{String,Vararg{Int8,0}}  ===  Tuple{String}
        NTuple{3,Int8}  ===  Tuple{Int8,Int8,Int8}
        NTuple{2,Int8}  <  NTuple{N,Int8} where N
        Tuple{Int8,Int16}  !<:  NTuple{N,Int8} where N
        Tuple{Int8,Int16}  <  NTuple{N,Signed} where N
        Tuple{Vararg{Int8}}  ==  NTuple{N,Int8} where N
        Tuple  ==  Tuple{Vararg{Any}}
        Tuple{Vararg{Union{}}}  ==  Tuple{}
        Tuple{Array{Int8,2},Int64,Int64}  <  Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}
        Tuple{Array{Int8,2},Int64}  !<:  Tuple{Array{T,N},Vararg{Int64,N}} where {T,N}
        Tuple{NTuple{2,Int8},NTuple{2,Int16}}  <:  Tuple{NTuple{N,Int8},NTuple{N,Int16}} where N
        Tuple{NTuple{2,Int8},NTuple{3,Int16}}  !<:  Tuple{NTuple{N,Int8},NTuple{N,Int16}} where N
        Tuple{Tuple{Vararg{Int8}},Tuple{Vararg{Int8}}}  !<:  Tuple{NTuple{N,Int8},NTuple{N,Int8}} where N
        Tuple{NTuple{N,Int8},NTuple{N,Int8}} where N  <  Tuple{Tuple{Vararg{Int8}},Tuple{Vararg{Int8}}}
        Ref{Tuple{Vararg{Int8}}}  !<:  Ref{NTuple{N,Int8}} where N
        Ref{Tuple{Vararg{Int8}}}  ==  Ref{NTuple{N,Int8} where N}
        Ref{Tuple{Int8,Vararg{Int8}}}  !=  Ref{Tuple{Vararg{Int8}}}
        Tuple{Int8,Vararg{Int8,N}} where N  <  NTuple{N,Int8} where N
        Tuple{Tuple{Int8,Vararg{Int8,N}},NTuple{N,Int8}} where N  !<:  Tuple{NTuple{M,Int8},NTuple{M,Int8}} where M
        Tuple{NTuple{N,Int8},Tuple{Int8,Vararg{Int8,N}}} where N  <:  Tuple{NTuple{N,Int8},NTuple{M,Int8}} where {N,M}
        Tuple{Vararg{Int8}}  !<:  Tuple{Vararg{Int8,2}}
        ",
    );
}
