# Finalizers: functions that are called with an object when nothing reaches it any more, by `finalize`, or at the end of the program.
function finalizer(@nospecialize(f), @nospecialize(o))
    ismutable(o) && !(o isa Type) || error("objects of type ", typeof(o), " cannot be finalized")
    if !GC.STATE.finalizers_run_at_exit
        GC.STATE.finalizers_run_at_exit = true
        atexit(run_finalizers)
    end
    Core.Host.gc(:finalizer, f, o)
    o
end
# The last one that was added runs first.
function finalize(@nospecialize(o))
    for f in Core.Host.gc(:finalizers, o)
        run_finalizer(f, o)
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
function run_next_finalizer(all)
    next = Core.Host.gc(:next, all)
    next === nothing && return false
    run_finalizer(next[1], next[2])
    true
end
# Those of unreached objects; called at safepoints. While they are inhibited, they wait.
function run_ready_finalizers()
    # One that runs is not interrupted by others: what it changes is in pieces.
    GC.STATE.finalizing && return nothing
    GC.STATE.finalizers_wait = GC.STATE.finalizers_inhibited > 0
    while GC.STATE.finalizers_inhibited == 0 && run_next_finalizer(false)
    end
end
# All, at the end of the program.
function run_finalizers()
    while run_next_finalizer(true)
    end
end

export finalizer, finalize
