# Deep copies: what is reachable from a value, each mutable object once, so that sharing and cycles stay.

deepcopy(x) = deepcopy_internal(x, IdDict())::typeof(x)
function deepcopy_internal(x, seen)
    isbits(x) || x isa Union{String, Symbol, Type, Function, Method, GlobalRef, Task} && !closes_over(x) ? x : deepcopy_struct(x, seen)
end
closes_over(x) = x isa Function && nfields(x) > 0
deepcopy_internal(::Module, seen) = error("deepcopy of Modules not supported")
function deepcopy_internal(v::SimpleVector, seen)
    haskey(seen, v) && return seen[v]::SimpleVector
    w = svec((deepcopy_internal(x, seen) for x in v)...)
    seen[v] = w
    w
end
function deepcopy_internal(a::Union{Array,Memory}, seen)
    haskey(seen, a) && return seen[a]::typeof(a)
    b = similar(a)
    seen[a] = b
    copy_elements!(b, a, length(a), seen)
end
function copy_elements!(dest, src, n, seen)
    isbitstype(eltype(src)) && return copyto!(dest, src)
    for i in 1:n
        isassigned(src, i) && (dest[i] = deepcopy_internal(src[i], seen))
    end
    dest
end
deepcopy_internal(t::Tuple, seen) = map(x -> deepcopy_internal(x, seen), t)
function deepcopy_internal(d::AbstractDict, seen)
    haskey(seen, d) && return seen[d]::typeof(d)
    e = empty(d)
    seen[d] = e
    for (k, v) in d
        e[deepcopy_internal(k, seen)] = deepcopy_internal(v, seen)
    end
    e
end
# A copy of a lock is free.
function deepcopy_internal(l::AbstractLock, seen)
    haskey(seen, l) && return seen[l]
    c = typeof(l)()
    seen[l] = c
    c
end
function deepcopy_internal(c::GenericCondition, seen)
    haskey(seen, c) && return seen[c]
    d = typeof(c)(deepcopy_internal(c.lock, seen))
    seen[c] = d
    d
end
function deepcopy_struct(x::T, seen) where {T}
    ismutable(x) || return new_of(T, map(i -> deepcopy_internal(getfield(x, i), seen), leading_fields(x)))
    haskey(seen, x) && return seen[x]::T
    copy_mutable(x, seen)
end
new_of(::Type{T}, fields) where {T} = Core.@splatnew T fields
# The numbers of the fields up to the first that is not defined.
function leading_fields(x)
    n = 0
    while n < nfields(x) && isdefined(x, n + 1)
        n += 1
    end
    ntuple(identity, n)
end
# The copy holds the fields of the original first, so that what points back to `x` finds it.
function copy_mutable(x::T, seen) where {T}
    fields = leading_fields(x)
    y = new_of(T, map(i -> isconst(T, i) ? deepcopy_internal(getfield(x, i), seen) : getfield(x, i), fields))
    seen[x] = y
    for i in 1:nfields(x)
        isdefined(x, i) && !isconst(T, i) || continue
        v = getfield(x, i)
        w = deepcopy_internal(v, seen)
        w === v && isdefined(y, i) || setfield!(y, i, w)
    end
    y
end
