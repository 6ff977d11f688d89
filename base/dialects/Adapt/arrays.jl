# Arrays of the host as what something is adapted to, and the arrays of StaticArrays.

adapt_storage(::Type{A}, xs::AbstractArray) where {A <: Array} = isbitstype(typeof(xs)) ? xs : convert(A, xs)

# The package has its types when it is loaded.
function extend_static_arrays(package::Module)
    isdefined(package, :SArray) || return nothing
    S = package.SArray
    @eval begin
        Adapt.adapt_storage(::Type{<:$S{Z}}, xs::Array) where {Z} = $S{Z}(xs)
        Adapt.adapt_storage(::Type{$S}, xs::Array) = $S{Tuple{size(xs)...}}(xs)
        Adapt.adapt_structure(to, x::$S{Z, T, N, L}) where {Z, T, N, L} = $S{Z}(ntuple(i -> Adapt.adapt(to, x[i]), Val(L)))
    end
end
Base.library_extensions[Base.UUID("90137ffa-7385-5640-81b9-e52037218182")] = extend_static_arrays
