# The time of a launch from Julia, for each form of it: of a kernel that does nothing and of saxpy on 256 items, from a function and
# from the top level of a program. Prints `form kernel nanoseconds` a line: the least of several batches, which are 10^5 launches
# together; the argument is another number of them.
import CUDA, AMDGPU
using KernelAbstractions

const BATCHES = 100
const BATCH = (isempty(ARGS) ? 10^5 : parse(Int, ARGS[1])) ÷ BATCHES

function empty_cuda!(y, a, x)
    return
end
function saxpy_cuda!(y, a, x)
    i = (CUDA.blockIdx().x - 1) * CUDA.blockDim().x + CUDA.threadIdx().x
    @inbounds y[i] = a * x[i] + y[i]
    return
end
function empty_roc!(y, a, x)
    return
end
function saxpy_roc!(y, a, x)
    i = (AMDGPU.workgroupIdx().x - 1) * AMDGPU.workgroupDim().x + AMDGPU.workitemIdx().x
    @inbounds y[i] = a * x[i] + y[i]
    return
end
@kernel function empty_ka!(y, a, x)
end
@kernel inbounds = true function saxpy_ka!(y, a, x)
    i = @index(Global)
    y[i] = a * x[i] + y[i]
end

# The least time of `launches(n)` a launch.
function least(launches)
    best = typemax(UInt64)
    for _ in 1:BATCHES
        start = time_ns()
        launches(BATCH)
        best = min(best, time_ns() - start)
    end
    return round(Int, best / BATCH)
end
row(form, kernel, nanos) = println(form, " ", kernel, " ", nanos)

function cuda_launches(n, f::F, y, a, x) where {F}
    for _ in 1:n
        CUDA.@cuda threads=256 f(y, a, x)
    end
end
function cuda_calls(n, kernel, y, a, x)
    for _ in 1:n
        kernel(y, a, x; threads = 256)
    end
end
function cuda_options(n, f::F, y, a, x) where {F}
    for _ in 1:n
        CUDA.@cuda threads=256 blocks=1 shmem=0 name="named" maxthreads=256 f(y, a, x)
    end
end
function roc_launches(n, f::F, y, a, x) where {F}
    for _ in 1:n
        AMDGPU.@roc groupsize=256 f(y, a, x)
    end
end
function ka_launches(n, backend, kernel::K, y, a, x) where {K}
    for _ in 1:n
        kernel(backend, 256)(y, a, x; ndrange = 256)
    end
end
function ka_calls(n, kernel, y, a, x)
    for _ in 1:n
        kernel(y, a, x; ndrange = length(y))
    end
end

const a = 2.0f0
function from_functions()
    let y = CUDA.zeros(Float32, 256), x = CUDA.ones(Float32, 256)
        for (name, f) in ((:empty, empty_cuda!), (:saxpy, saxpy_cuda!))
            row("cuda", name, least(n -> cuda_launches(n, f, y, a, x)))
            kernel = CUDA.@cuda launch=false f(y, a, x)
            row("cuda-kernel-object", name, least(n -> cuda_calls(n, kernel, y, a, x)))
            row("cuda-options", name, least(n -> cuda_options(n, f, y, a, x)))
        end
        for (name, f) in ((:empty, empty_ka!), (:saxpy, saxpy_ka!))
            row("ka-cuda", name, least(n -> ka_launches(n, CUDA.CUDABackend(), f, y, a, x)))
        end
    end
    let y = AMDGPU.zeros(Float32, 256), x = AMDGPU.ones(Float32, 256)
        for (name, f) in ((:empty, empty_roc!), (:saxpy, saxpy_roc!))
            row("roc", name, least(n -> roc_launches(n, f, y, a, x)))
        end
    end
    let y = zeros(Float32, 256), x = ones(Float32, 256)
        for (name, f) in ((:empty, empty_ka!), (:saxpy, saxpy_ka!))
            row("ka-cpu", name, least(n -> ka_launches(n, CPU(), f, y, a, x)))
            kernel = f(CPU())
            row("ka-kernel-object", name, least(n -> ka_calls(n, kernel, y, a, x)))
        end
    end
end
from_functions()

y, x = CUDA.zeros(Float32, 256), CUDA.ones(Float32, 256)
ay, ax = AMDGPU.zeros(Float32, 256), AMDGPU.ones(Float32, 256)
hy, hx = zeros(Float32, 256), ones(Float32, 256)

# The same at the top level, in a loop that runs long enough to be compiled, and in loops of a hundred turns, each new, which are
# interpreted.
macro top(form, kernel, launch)
    return esc(quote
        best = typemax(UInt64)
        for _ in 1:BATCHES
            start = time_ns()
            for _ in 1:BATCH
                $launch
            end
            global best = min(best, time_ns() - start)
        end
        row("top-" * $form, $kernel, round(Int, best / BATCH))
        foreach(_ -> interpreted($(QuoteNode(launch))), 1:400) # until what it calls is compiled
        row("interpreted-" * $form, $kernel, minimum(_ -> interpreted($(QuoteNode(launch))), 1:BATCHES))
    end)
end
function interpreted(launch)
    took = Core.eval(Main, quote
        began = time_ns()
        for _ in 1:100
            $launch
        end
        time_ns() - began
    end)
    return round(Int, took / 100)
end
@top "cuda" "empty" CUDA.@cuda threads=256 empty_cuda!(y, a, x)
@top "cuda" "saxpy" CUDA.@cuda threads=256 saxpy_cuda!(y, a, x)
@top "roc" "empty" AMDGPU.@roc groupsize=256 empty_roc!(ay, a, ax)
@top "roc" "saxpy" AMDGPU.@roc groupsize=256 saxpy_roc!(ay, a, ax)
empty_kernel, saxpy_kernel = empty_ka!(CPU()), saxpy_ka!(CPU())
@top "ka-object" "empty" empty_kernel(hy, a, hx; ndrange = 256)
@top "ka-object" "saxpy" saxpy_kernel(hy, a, hx; ndrange = 256)
@top "ka-cpu" "empty" empty_ka!(CPU(), 256)(hy, a, hx; ndrange = 256)
@top "ka-cpu" "saxpy" saxpy_ka!(CPU(), 256)(hy, a, hx; ndrange = 256)
