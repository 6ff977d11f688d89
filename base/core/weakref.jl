# References that do not keep their objects alive: a collection that reaches an object through them alone sets them to `nothing`.

"""
    WeakRef(x)

A reference that does not keep its object alive.
"""
mutable struct WeakRef
    value::Any
    WeakRef(@nospecialize(value)) = new(value)
    WeakRef() = new(nothing)
end
==(a::WeakRef, b::WeakRef) = isequal(a.value, b.value)::Bool
==(a::WeakRef, b) = isequal(a.value, b)::Bool
==(a, b::WeakRef) = isequal(a, b.value)::Bool
==(a::WeakRef, ::Missing) = missing
==(::Missing, b::WeakRef) = missing
isequal(a::WeakRef, b::WeakRef) = isequal(a.value, b.value)::Bool
isequal(a::WeakRef, b) = isequal(a.value, b)::Bool
isequal(a, b::WeakRef) = isequal(a, b.value)::Bool
isequal(::WeakRef, ::Missing) = false
isequal(::Missing, ::WeakRef) = false
hash(a::WeakRef, h::UInt) = hash(a.value, h)
export WeakRef
