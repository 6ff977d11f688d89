# Loops on several threads. A session has one thread for code of the host, on which the loop runs.
module Polyester

export @batch

"""
    @batch [minbatch = n] [per = core] [stride = true] [reduction = ((op, x), ...)] [threadlocal = init] for i in range ... end

The loop. `threadlocal` is the value of the thread in the loop, and after it the vector of those of all threads: one.
"""
macro batch(args...)
    loop = args[end]
    Meta.isexpr(loop, :for) || throw(ArgumentError("`@batch` takes a `for` loop"))
    init = nothing
    for option in args[1:(end - 1)]
        Meta.isexpr(option, :(=)) && option.args[1] in (:minbatch, :per, :stride, :reduction, :threadlocal) ||
            throw(ArgumentError(string("`@batch` has no option `", option, "`")))
        option.args[1] === :threadlocal && (init = option.args[2])
    end
    init === nothing && return esc(loop)
    esc(quote
        threadlocal = $(Meta.isexpr(init, :(::)) ? init.args[1] : init)
        $loop
        threadlocal = [threadlocal]
    end)
end
num_threads() = 1
reset_threads!() = nothing
disable_polyester_threads(f::F) where {F} = f()

end
