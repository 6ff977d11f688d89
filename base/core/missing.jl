# `missing` in arithmetic: what is not known stays not known.

for op in (:+, :-, :*, :/, :^, :<, :<=, :&, :|, :xor, :div, :rem, :mod, :fld, :cld, :min, :max)
    @eval begin
        $op(::Missing, ::Missing) = missing
        $op(::Missing, ::Number) = missing
        $op(::Number, ::Missing) = missing
    end
end
(&)(::Missing, b::Bool) = ifelse(b, missing, false)
(&)(b::Bool, ::Missing) = ifelse(b, missing, false)
(|)(::Missing, b::Bool) = ifelse(b, true, missing)
(|)(b::Bool, ::Missing) = ifelse(b, true, missing)
for f in (:-, :+, :abs, :abs2, :sign, :sqrt, :exp, :log, :sin, :cos, :float, :real, :imag, :conj, :isnan, :isinf, :isfinite,
        :isinteger, :iseven, :isodd, :iszero, :isone, :floor, :ceil, :round, :trunc)
    @eval $f(::Missing) = missing
end
struct SkipMissing{T}
    x::T
end
skipmissing(itr) = SkipMissing(itr)
eltype(::Type{SkipMissing{T}}) where {T} = nonmissingtype(eltype(T))
IteratorSize(::Type{<:SkipMissing}) = SizeUnknown()
function iterate(s::SkipMissing, state...)
    y = iterate(s.x, state...)
    while y !== nothing && y[1] === missing
        y = iterate(s.x, y[2])
    end
    y
end
