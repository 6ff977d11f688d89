# Names that Julia has and kiln lacks, so that packages that mention them, or give them methods of their own, load. A call that has
# no other method says that kiln lacks the function.

# The methods that say so. Code that asks `hasmethod` before a call goes another way instead.
const lacked_methods = IdSet{Method}()

"""
    @lacked name...

Functions of this module without an implementation here: a call throws an `UnsupportedError` with the name, and `hasmethod` says that
there is no method.
"""
macro lacked(names...)
    definitions = map(names) do name
        help = string("kiln lacks `", nameof(__module__), ".", name, "`; a method for your own types works")
        quote
            function $name end
            $name(args...; kws...) = $(GlobalRef(Base, :throw))($UnsupportedError($(QuoteNode(name)), $help))
            $(GlobalRef(Base, :push!))($lacked_methods, $(GlobalRef(Base, :which))($name, Tuple{Vararg{Any}}))
        end
    end
    esc(Expr(:block, definitions..., nothing))
end
