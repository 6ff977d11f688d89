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
macro allowscalar(ex)
    # What is assigned to is the caller's variable.
    if ex isa Expr && ex.head === :(=) && ex.args[1] isa Symbol
        return Expr(:(=), esc(ex.args[1]), :(allowscalar(() -> $(esc(ex.args[2])))))
    end
    return quote
        local before = SCALARS[]
        SCALARS[] = true
        try
            $(esc(ex))
        finally
            SCALARS[] = before
        end
    end
end
