# What no kernel may do, on targets that are GPUs: GPUCompiler's categories, each with the user's own line.
using CUDA

#: upstream: test/native.jl "errors: delayed bindings"
delayed(out) = (unsafe_store!(out, undefined_name + 1); return)
#: fails sm_90 llvm 'delayed(Ptr{Int64})'
#: check: error[undefined-name]: `undefined_name` not defined
#: check: validation.jl:5:

#: upstream: test/native.jl "errors: dynamic call (invoke)"
#: upstream: test/native.jl "errors: dynamic call (apply)"
struct Big{N} end
area(::Big{N}) where {N} = N
dynamic(out, n) = (unsafe_store!(out, area(Big{n}())); return)
boxes(out, a) = (unsafe_store!(out, Base.inferencebarrier(a)); return)
#: fails gfx1100 llvm 'dynamic(Ptr{Int64}, Int64)'
#: check: error[dynamic-call]
#: check: validation.jl:14:
#: fails gfx1100 llvm 'boxes(Ptr{Int64}, Int64)'
#: check: validation.jl:15:

#: upstream: test/native.jl "errors: invalid LLVM IR (ccall)"
calls_c(out) = (unsafe_store!(out, ccall(:time, Int, (Ptr{Cvoid},), C_NULL)); return)
#: fails spirv64 llvm 'calls_c(Ptr{Int64})'
#: check: error[foreign-call]
#: check: `time`
#: check: validation.jl:23:

# A function that nothing defines, and an address that nothing is known to be at.
calls_unknown(out) = (unsafe_store!(out, ccall("extern unknown_function", llvmcall, Int, ())); return)
#: fails sm_90 llvm 'calls_unknown(Ptr{Int64})'
#: check: unknown_function
calls_address(out) = (unsafe_store!(out, Base.llvmcall("%1 = call i64 inttoptr (i64 42 to ptr)()\nret i64 %1", Int, Tuple{})); return)
#: fails sm_90 llvm 'calls_address(Ptr{Int64})'
#: check: call through a literal pointer

# What only the runtime on the host can do.
evaluates(out, x) = (unsafe_store!(out, eval(:(1 + 1))); return)
#: fails sm_90 llvm 'evaluates(Ptr{Int64}, Int64)'
#: check: error[
#: check: validation.jl:38:

#: upstream: test/native.jl "errors: non-isbits arguments"
struct CleverPointer{T}
    value::T
    next::Vector{T}
end
takes_clever(x, y) = return
#: fails sm_90 llvm 'takes_clever(CleverPointer{Float64}, Vector{Int64})'
#: check: argument 1 of the kernel, a `CleverPointer{Float64}`, is not plain bits
#: check: its field `.next` is a `Vector{Float64}`
#: check: argument 2 of the kernel, a `Vector{Int64}`

# A signature names one type for each argument.
takes_any(x, y) = return
#: fails sm_90 llvm 'takes_any(AbstractVector{Float32}, Real)'
#: check: `AbstractVector{Float32}` is no concrete type
#: check: such as CuDeviceVector{Float32,1}
#: check: `Real` is no concrete type
#: check: such as Float32, Float64, Int32, Int64

# Nothing is caught in a kernel: the message says so, and where; also in a function that it calls.
catches(out, i) = (unsafe_store!(out, try div(1, i) catch; 0 end); return)
#: fails sm_90 llvm 'catches(Ptr{Int64}, Int64)'
#: check: error[try-in-kernel]: a kernel cannot catch exceptions
#: check: validation.jl:63:
@noinline careful(i) = try div(1, i) catch; 0 end
calls_careful(out, i) = (unsafe_store!(out, careful(i)); unsafe_store!(out, eval(i)); return)
#: fails gfx90a llvm 'calls_careful(Ptr{Int64}, Int64)'
#: check: error[try-in-kernel]
#: check: validation.jl:67:

# Objects of the host are told of once each, with what to do instead.
const WORDS = ["a", "b"]
const COUNT = Ref(1)
uses_host(out, i) = (unsafe_store!(out, COUNT[] + length(WORDS)); return)
#: fails sm_90 llvm 'uses_host(Ptr{Int64}, Int64)'
#: check: error[host-object]: a kernel cannot use a `Base.RefValue{Int64}` of the host
#: check: validation.jl:76:
#: check: error[host-object]: a kernel cannot use a `Vector{String}` of the host
#: not: runtime-call
@noinline word(i) = i > 0 ? "more" : "less"
compares(out, i) = (unsafe_store!(out, word(i) === "more" ? 1 : 2); return)
#: fails spirv64 llvm 'compares(Ptr{Int64}, Int64)'
#: check: error[host-object]: a kernel cannot use a `String` of the host
#: check: use a `Symbol`, or a number

# Values that a target does not compute with: each operation, at the user's line, also where the library does it.
halves(out, x) = (unsafe_store!(out, x * Float16(2)); return)
doubles(out, x) = (unsafe_store!(out, Float32(sqrt(Float64(x)))); return)
wide(out, x) = (unsafe_store!(out, (Int128(x) * x) % Int64); return)
brains(out) = (unsafe_store!(out, unsafe_load(out, 2)); return)
#: fails spirv64-nofp16 llvm 'halves(Ptr{Float16}, Float16)'
#: check: use of half value: spirv64-nofp16 does not compute with Float16
#: check: validation.jl:89:
#: fails spirv64-nofp64 llvm 'doubles(Ptr{Float32}, Float32)'
#: check: use of double value: spirv64-nofp64 does not compute with Float64
#: check: validation.jl:90:
#: fails spirv64 llvm 'wide(Ptr{Int64}, Int64)'
#: check: use of i128 value: spirv64 does not compute with Int128
#: check: validation.jl:91:
#: fails spirv64 llvm 'brains(Ptr{Core.BFloat16})'
#: check: use of bfloat value: spirv64 does not compute with
#: check: validation.jl:92:
masks(out) = (out[threadIdx().x] = active_mask(); return)
#: fails spirv64 llvm 'masks(CuDeviceVector{UInt32,1})'
#: check: GroupNonUniformBallot
#: check: validation.jl:105:

# All errors of a kernel are one report, those of the functions that it calls among them.
@noinline first_wrong(out, x) = (unsafe_store!(out, x * Float16(2)); nothing)
@noinline second_wrong(out, x) = (unsafe_store!(out, (Int128(x) * x) % Int64); nothing)
all_wrong(a, b, x, y) = (first_wrong(a, x); second_wrong(b, y); return)
#: fails spirv64-nofp16 llvm 'all_wrong(Ptr{Float16}, Ptr{Int64}, Float16, Int64)'
#: unordered: use of half value
#: unordered: use of i128 value
