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
