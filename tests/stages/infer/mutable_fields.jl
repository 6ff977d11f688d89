# A field of a mutable object has its declared type at every read; one of an immutable object keeps the constant.
mutable struct Open
    x::Union{Int, Nothing}
end
struct Fixed
    x::Union{Int, Nothing}
end
open_field() = (o = Open(1); o.x)
fixed_field() = Fixed(1).x

#: infer 'open_field()'
#: check: returns Union{Nothing, Int64}
#: infer 'fixed_field()'
#: check: returns Int64
#: check: always 1
