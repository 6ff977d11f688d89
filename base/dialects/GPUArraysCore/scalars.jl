# Single elements of device arrays, read or written by host code. `allowscalar(false)` refuses it, as a GPU is slow at it.

allowscalar(allow::Bool = true) = (SCALARS[] = allow; nothing)
function allowscalar(f)
    before = SCALARS[]
    SCALARS[] = true
    try
        return f()
    finally
        SCALARS[] = before
    end
end

"""
    assertscalar(operation::String)

Throws unless host code may touch single elements. Packages' arrays call it where they read or write one.
"""
assertscalar(operation::String) = SCALARS[] ? nothing : refuse_scalars(operation)
@noinline refuse_scalars(operation) = error(string("Scalar indexing is disallowed: `", operation, "` of a single element, by host code. ",
    "On a GPU each would be a copy of its own. Compute with whole arrays, or allow it with `allowscalar()` or `@allowscalar`."))
# Without a scope, so that what the expression assigns to are the caller's variables.
macro allowscalar(ex)
    Base.@keep_expansions
    return quote
        local before = SCALARS[]
        SCALARS[] = true
        $(Expr(:tryfinally, esc(ex), :(SCALARS[] = before)))
    end
end
