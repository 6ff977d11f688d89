# `missing` in arithmetic: what is not known stays not known.

for op in (:+, :-, :*, :/, :^, :div, :rem, :mod, :fld, :cld, :xor)
    @eval begin
        $op(::Missing, ::Missing) = missing
        $op(::Missing, ::Number) = missing
        $op(::Number, ::Missing) = missing
    end
end
for op in (:<, :<=, :min, :max)
    @eval begin
        $op(::Missing, ::Missing) = missing
        $op(::Missing, ::Any) = missing
        $op(::Any, ::Missing) = missing
    end
end
isapprox(::Missing, ::Missing; kws...) = missing
isapprox(::Missing, ::Any; kws...) = missing
isapprox(::Any, ::Missing; kws...) = missing
for op in (:&, :|, :nand, :nor)
    @eval begin
        $op(::Missing, ::Missing) = missing
        $op(::Missing, ::Integer) = missing
        $op(::Integer, ::Missing) = missing
    end
end
# A known operand decides where the other cannot change the result.
(&)(::Missing, b::Bool) = ifelse(b, missing, false)
(&)(b::Bool, ::Missing) = ifelse(b, missing, false)
(|)(::Missing, b::Bool) = ifelse(b, true, missing)
(|)(b::Bool, ::Missing) = ifelse(b, true, missing)
nand(::Missing, b::Bool) = ifelse(b, missing, true)
nand(b::Bool, ::Missing) = ifelse(b, missing, true)
nor(::Missing, b::Bool) = ifelse(b, false, missing)
nor(b::Bool, ::Missing) = ifelse(b, false, missing)
*(::Missing, ::Union{AbstractString, AbstractChar}) = missing
*(::Union{AbstractString, AbstractChar}, ::Missing) = missing
for f in (:-, :+, :*, :&, :|, :~, :xor, :nand, :nor, :abs, :abs2, :sign, :sqrt, :exp, :exp2, :exp10, :expm1, :log, :log2, :log10, :log1p,
        :sin, :cos, :tan, :sinh, :cosh, :tanh, :asin, :acos, :atan, :asinh, :acosh, :atanh, :exponent, :inv, :float, :complex,
        :real, :imag, :conj, :isnan, :isinf, :isfinite, :isinteger, :isreal, :iseven, :isodd, :iszero, :isone, :ispow2,
        :transpose, :adjoint, :oneunit)
    @eval $f(::Missing) = missing
end
for f in (:atan, :hypot, :log)
    @eval begin
        $f(::Missing, ::Missing) = missing
        $f(::Missing, ::Number) = missing
        $f(::Number, ::Missing) = missing
    end
end
clamp(::Missing, lo, hi) = missing
for f in (:zero, :one, :oneunit)
    @eval begin
        $f(::Type{Missing}) = missing
        $f(::Type{Union{T, Missing}}) where {T} = $f(T)
        $f(::Type{Any}) = throw(MethodError($f, (Any,)))
    end
end
for f in (:float, :complex)
    @eval begin
        $f(::Type{Any}) = throw(MethodError($f, (Any,)))
        $f(::Type{Missing}) = Missing
        $f(::Type{Union{T, Missing}}) where {T} = Union{$f(T), Missing}
    end
end
float(a::AbstractArray{Union{T, Missing}}) where {T} = convert(AbstractArray{Union{float(T), Missing}}, a)
float(a::AbstractArray{Missing}) = a
@noinline throw_missing_conversion(T) = throw(MissingException(LazyString("cannot convert a missing value to type ", T,
    ": use Union{", T, ", Missing} instead")))
for f in (:round, :floor, :ceil, :trunc)
    @eval begin
        $f(::Missing; sigdigits::Integer = 0, digits::Integer = 0, base::Integer = 0) = missing
        $f(::Type{T}, ::Missing) where {T >: Missing} = missing
        $f(::Type{T}, x::Any) where {T >: Missing} = $f(nonmissingtype_checked(T), x)
        $f(::Type{T}, x::Real) where {T >: Missing} = $f(nonmissingtype_checked(T), x)
        $f(::Type{T}, ::Missing) where {T} = throw_missing_conversion(T)
    end
end
round(::Missing, ::RoundingMode; sigdigits::Integer = 0, digits::Integer = 0, base::Integer = 0) = missing
round(::Type{T}, ::Missing, ::RoundingMode) where {T >: Missing} = missing
round(::Type{T}, ::Missing, ::DirectedRounding) where {T <: AbstractFloat} = throw_missing_conversion(T)
round(::Type{T}, x, r::RoundingMode) where {T >: Missing} = round(nonmissingtype_checked(T), x, r)
round(::Type{T}, x::Real, r::RoundingMode) where {T >: Missing} = round(nonmissingtype_checked(T), x, r)
round(::Type{T}, ::Missing, ::RoundingMode) where {T} = throw_missing_conversion(T)

# The values that are there; indices are those of the collection.
struct SkipMissing{T}
    x::T
end
skipmissing(itr) = SkipMissing(itr)
IteratorSize(::Type{<:SkipMissing}) = SizeUnknown()
IteratorEltype(::Type{SkipMissing{T}}) where {T} = IteratorEltype(T)
eltype(::Type{SkipMissing{T}}) where {T} = nonmissingtype(eltype(T))
function iterate(s::SkipMissing, state...)
    y = iterate(s.x, state...)
    while y !== nothing && ismissing(y[1])
        y = iterate(s.x, y[2])
    end
    y
end
IndexStyle(::Type{<:SkipMissing{T}}) where {T} = IndexStyle(T)
eachindex(s::SkipMissing) = Iterators.filter(i -> !ismissing(s.x[i]), eachindex(s.x))
keys(s::SkipMissing) = Iterators.filter(i -> !ismissing(s.x[i]), keys(s.x))
@noinline throw_missing_at(I) = throw(MissingException(LazyString("the value at index ", I, " is missing")))
@propagate_inbounds function getindex(s::SkipMissing, I...)
    v = s.x[I...]
    ismissing(v) && throw_missing_at(I)
    v
end
function filter(f, s::SkipMissing{<:AbstractArray})
    out = similar(s.x, eltype(s), 0)
    for v in s
        f(v) && push!(out, v)
    end
    out
end
function show(io::IO, s::SkipMissing)
    print(io, "skipmissing(")
    show(io, s.x)
    print(io, ")")
end
