//! Bounds of variables, and variables in the bounds of others.

mod notation;
use notation::Notation;

/// A lower bound joins what a variable must hold; an upper bound what it may.
#[test]
fn bounds_of_one_variable() {
    Notation::new().check(
        "
        Tuple{Integer,Int8}  <:  Tuple{T,S} where S<:T where T
        Tuple{Integer,Int8}  <:  Tuple{T,S} where T<:S<:T where T
        Tuple{Integer,Int8,Int8}  <:  Tuple{T,S,S} where T<:S<:T where T
        Tuple{R,R} where R  <  Tuple{T,S} where {T,S}
        Tuple{R,R} where R  <  Tuple{T,S} where S<:T where T
        Tuple{R,R} where R  <  Tuple{T,S} where T<:S<:T where T
        Tuple{R,R} where R  <  Tuple{T,S} where S>:T where T
        Tuple{Number,Number}  !<:  Tuple{T,T} where T<:Number
        Tuple{S,R,Vector{Any}} where R<:String where S<:Int8  <:  Tuple{T,T,Vector{T}} where T
        Tuple{S,R,Vector{Integer}} where R<:String where S<:Int8  !<:  Tuple{T,T,Vector{T}} where T
        Tuple{Int8,Int16,Vector{Signed}}  <:  Tuple{T,T,Vector{T}} where T>:Signed
        Tuple{T,T,Vector{T}} where T>:Signed  ==  Tuple{T,T,Vector{Union{Signed,T}}} where T
        Tuple{Int8,Int16,Vector{Any}}  <:  Tuple{T,T,Vector{Union{Signed,T}}} where T
        Tuple{T,T} where Int8<:T<:Int8  <:  Tuple{T,T} where Int8<:T<:Int8
        Tuple{T,T} where T>:Int8  <:  Tuple{T,T} where T>:Int8
        Tuple{Tuple{T,T} where T>:Int8}  <:  Tuple{Tuple{T,T}} where T>:Int8
        Tuple{Tuple{T,T}} where T>:Int8  <:  Tuple{Tuple{T,T} where T>:Int8}
        Vector{Tuple{T,T} where Real<:T<:Real}  <:  Vector{Tuple{Real,Real}}
        Tuple{Vararg{A}} where A>:Signed  ==  Tuple{Vararg{B}} where B>:Signed
        Tuple{A,A,Real} where A>:Real  <:  Tuple{T,T,S} where T>:S where S
        Tuple{T,T} where T  <  Tuple{T,T} where {S,T>:S}
        Vector{T} where Int8<:T<:Signed  <:  Vector{T} where T<:Real
        Vector{T} where Int8<:T<:Signed  !<:  Vector{T} where Signed<:T<:Real
        T where Int8<:T<:Signed  ===  Signed
        Ref{T} where Int8<:T<:Int8  ==  Ref{Int8}
        Ref{T} where Signed<:T<:Signed  ==  Ref{Signed}
        Pair{T,S} where Int8<:T<:Int8 where Int8<:S<:Int8  <  Pair{T,T} where T
        Ref{Ref{Int8}}  ==  Ref{Ref{T} where Int8<:T<:Int8}
        Ref{Ref{Int8}}  ==  Ref{Ref{T}} where Int8<:T<:Int8
        Ref{Ref{T}} where Int8<:T<:Int8  !<:  Ref{Ref{T} where T<:Int8}
        Vector{Int16}  !<:  Vector{T} where T>:Union{Int8,Int16}
        Vector{Signed}  <:  Vector{T} where T>:Union{Int8,Int16}
        Vector{Union{Int8,Int16}}  <:  Vector{T} where T>:Union{Int8,Int16}
        ",
    );
}

/// `S` bounded by `T`: the two must be solved together.
#[test]
fn dependent_bounds() {
    Notation::new().check(
        "
        Tuple{Vector{Integer},Int8}  <:  Tuple{Vector{T},S} where S<:T where T<:Integer
        Tuple{Vector{Integer},Real}  !<:  Tuple{Vector{T},T} where T<:Integer
        Tuple{Integer,Int8}  <:  Tuple{T,S} where S<:T where T<:Integer
        Tuple{Integer,Int8}  !<:  Tuple{T,S} where S<:T where T<:Int8
        Tuple{Integer,Int8}  !<:  Tuple{T,S} where S<:T where T<:String
        Tuple{Float32,Vector{Float32}}  <:  Tuple{T,S} where S<:AbstractVector{T} where T<:Real
        Tuple{Float32,Vector{Float64}}  !<:  Tuple{T,S} where S<:AbstractVector{T} where T<:Real
        Tuple{Float32,Vector{Real}}  <:  Tuple{T,S} where S<:AbstractVector{T} where T<:Real
        Tuple{Number,Vector{Real}}  !<:  Tuple{T,S} where S<:AbstractVector{T} where T<:Real
        Tuple{T,S} where S<:AbstractVector{T} where T<:Real  ==  Tuple{A,B} where B<:AbstractVector{A} where A<:Real
        Tuple{T,S} where S<:AbstractVector{T} where T<:Real  <  Tuple{Real,B} where B<:AbstractVector{A} where A<:Real
        Pair{T,S} where S<:T where T  <  Pair{T,S} where {T,S}
        Pair{T,S} where S>:T where T  <  Pair{T,S} where {T,S}
        Tuple{Ref{T},T} where T  ==  Tuple{Ref{T},S} where T<:S<:T where T
        Tuple{Ref{T},T} where T  <  Tuple{Ref{T},S} where S>:T where T
        Tuple{Int8,Ref{Int8}}  <  Tuple{S,Ref{T}} where S<:T where T
        Tuple{Real,Ref{Int8}}  !<:  Tuple{S,Ref{T}} where S<:T where T
        Tuple{Real,Ref{Int8}}  <  Tuple{S,Ref{T}} where S>:T where T
        Tuple{Ref{Int8},Ref{Signed}}  !<:  Tuple{Ref{S},Ref{T}} where S>:T where T
        Tuple{Ref{Real},Ref{Signed}}  <  Tuple{Ref{S},Ref{T}} where S>:T where T
        Tuple{Real,Ref{Tuple{Int8}}}  <  Tuple{S,Ref{Tuple{T}}} where S>:T where T
        Tuple{Ref{Tuple{Int8}},Ref{Tuple{Signed}}}  !<:  Tuple{Ref{Tuple{S}},Ref{Tuple{T}}} where S>:T where T
        Tuple{Ref{Tuple{Real}},Ref{Tuple{Signed}}}  <  Tuple{Ref{Tuple{S}},Ref{Tuple{T}}} where S>:T where T
        Ref{Ref{S} where S<:Union{Int8,Int16}}  <:  Ref{T} where Ref{Union{}}<:T<:(Ref{S} where S<:Union{Int8,Int16})
        Tuple{Vector{Union{Int8,Int16}},Int8}  <:  Tuple{Vector{T},T} where T
        Tuple{Vector{Union{Int8,Int16}},Int8}  <:  Tuple{Vector{T},S} where S<:T where T
        Tuple{T,Ptr{T}} where T  ><  Tuple{Ptr{T},T} where T
        Tuple{Ptr{T},Ptr{S}} where S>:Ptr where T>:Ptr  <  Tuple{T,Ptr{T}} where T
        Tuple{Ptr{T},Ptr{S}} where S>:Ptr where T>:Ptr  <  Tuple{Ptr{T},T} where T
        Tuple{Ptr{T},Ptr{S}} where S>:Ptr where T>:Ptr  <  Tuple{Ptr{T},Ptr{S}} where S>:Ptr{T} where T>:Ptr
        Tuple{Ptr{T},Ptr{S}} where S>:Ptr where T>:Integer  !<:  Tuple{Ptr{T},T} where T
        Tuple{Ptr{T},Ptr{S}} where S>:Integer where T>:Ptr  <:  Tuple{Ptr{T},T} where T
        abstract Triple{A,B,C}
        Triple{Int8,String,Ref{Signed}}  !<:  Triple{<:T,<:T,Ref{T}} where T
        Triple{Int8,Int16,Ref{Signed}}  <:  Triple{<:T,<:T,Ref{T}} where T
        Triple{Int8,Int16,Ref{Signed}}  <:  Triple{<:A,<:B,Ref{T}} where {T,A>:T,B>:T}
        Pair{Integer,Ref{Int8}}  !<:  Pair{<:T,Ref{T}} where T
        ",
    );
}

/// Where a quantifier stands matters inside invariant constructors.
#[test]
fn scopes() {
    Notation::new().check(
        "
        Vector{Vector{T} where T}  ><  Vector{Vector{T}} where T
        Type{AbstractArray{Vector{T}} where T}  !<:  Type{AbstractArray{S}} where S
        Val{AbstractArray{Vector{T}} where T}  !<:  Val{AbstractArray{S}} where S
        Vector{Vector{Vector{T}} where T}  !<:  Vector{Vector{T}} where T
        Vector{Vector{T}} where T  !<:  AbstractArray{Vector}
        Ref{Pair{Pair{T,R},R} where R} where T  !<:  Ref{Pair{A,B} where B} where A
        Ref{Pair{Pair{A,B},B} where B} where A  !<:  Ref{Pair{A,C} where C<:B} where A where B
        Tuple{Type{Vector{T}} where T,Vector{Int8}}  !<:  Tuple{Type{T},T} where T
        Tuple{Vector{Int8},Type{Vector{T}} where T}  !<:  Tuple{T,Type{T}} where T
        Tuple{Type{Ref{T}} where T,Ref{Int8}}  !<:  Tuple{Type{T},T} where T
        Tuple{Tuple{S} where S,T} where T  ==  Tuple{Tuple{S},T} where {T,S}
        Tuple{Vector{T},Vector{T}} where T  <  Tuple{Vector,Vector}
        Vector{Tuple{Any}}  ==  Vector{Tuple{T} where T}
        Vector{Tuple{Int8,Int8}}  ==  Vector{Tuple{T,T} where T<:Int8}
        Vector{Tuple{Int8,Signed}}  !<:  Vector{Tuple{T,T} where T<:Signed}
        Vector{Int8}  ==  Vector{T where T<:Int8}
        Ref{Tuple{Int8,Tuple{S}} where S}  ==  Ref{Tuple{Int8,Tuple{Any}}}
        Tuple{Ref{Union{T,Int8}} where T}  <:  Tuple{Ref{T}} where T
        Tuple{Ref{Union{T,Int8}}} where T  <:  Tuple{Ref{T} where T}
        Tuple{Tuple{Tuple{R}} where R}  <:  Tuple{Tuple{S}} where S
        Type{Tuple{T,Any} where T}  !<:  Type{Tuple{T,T}} where T
        Type{Tuple{T,T} where T}  !<:  Type{Tuple{T,T}} where T
        Ref{Tuple{T,T} where Int8<:T<:Int8}  ==  Ref{Tuple{S,S}} where Int8<:S<:Int8
        Ref{Tuple{T,T}} where T  !<:  Ref{Tuple{T,T} where T}
        Pair{Vector{Int8},Signed}  !<:  Pair{Vector{T},T} where T
        Pair{Vector{Int8},Int8}  <:  Pair{Vector{T},T} where T
        (Vector{T} where T)  ===  Vector
        ",
    );
}
