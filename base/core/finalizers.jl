# Finalizers: functions that are called with an object when it is done with, by `finalize` or at the end of the program. An
# object that has one is kept until then.
const FINALIZERS = IdDict{Any, Vector{Any}}()
function finalizer(@nospecialize(f), @nospecialize(o))
    ismutable(o) && !(o isa Type) || error("objects of type ", typeof(o), " cannot be finalized")
    isempty(FINALIZERS) && atexit(run_finalizers)
    push!(get!(Vector{Any}, FINALIZERS, o), f)
    o
end
# The last one that was added runs first.
function finalize(@nospecialize(o))
    fs = pop!(FINALIZERS, o, nothing)
    fs === nothing && return nothing
    for k in length(fs):-1:1
        run_finalizer(fs[k], o)
    end
end
function run_finalizer(@nospecialize(f), @nospecialize(o))
    outer = GC.STATE.finalizing
    GC.STATE.finalizing = true
    try
        f isa Ptr ? error("finalizers that are C functions are not supported") : f(o)
    catch problem
        print(stderr, "error in running finalizer: ")
        showerror(stderr, problem)
        println(stderr)
    finally
        GC.STATE.finalizing = outer
    end
    nothing
end
run_finalizers() = foreach(finalize, collect(keys(FINALIZERS)))

export finalizer, finalize
