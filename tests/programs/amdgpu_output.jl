# What kernels print, and who prints it: the first item of each group, unless it is said otherwise.
using AMDGPU

hello() = (@rocprintln "hello"; return)
@roc groupsize = 4 gridsize = 2 hello()

function each(x)
    i = workitemIdx().x
    @rocprintf :lane "item %d has %.2f\n" i x[i]
    return
end
@roc groupsize = 3 each(ROCArray([0.5, 1.25, 2.0]))

function modes()
    @rocprintf :grid "the grid %s\n" "once"
    @rocprintf :wave "wave at %d of group %d\n" workitemIdx().x workgroupIdx().x
    @rocprintf "group %d\n" workgroupIdx().x
    n = 3
    @rocprint "n is $n" " and more "
    @rocprintln :lane "" 2n
    return
end
@roc groupsize = 1 gridsize = 2 modes()
@roc groupsize = 64 (() -> (@rocprintf :wave "wave at %d\n" workitemIdx().x; return))()
@rocprintln "from the host, too"
