# The virtual machine of the Linux kernel. What GPUCompiler's test/bpf.jl asks of its BPF back end, asked of ours.

#: upstream: test/bpf.jl "No-op"
zero_of() = 0
#: run bpf asm 'zero_of()'
#: check: r0 = 0
#: nextln: exit

#: upstream: test/bpf.jl "Return argument"
same(x) = x
#: run bpf asm 'same(UInt64)' --strip
#: check: r0 = r1
#: nextln: exit

#: upstream: test/bpf.jl "Addition"
next(x) = x + 1
#: run bpf asm 'next(UInt64)' --strip
#: check: r0 = r1
#: nextln: r0 += 1
#: nextln: exit

#: upstream: test/bpf.jl "Errors"
missing_callee(x) = fakefunc(x)
#: fails bpf asm 'missing_callee(UInt64)'
#: check: fakefunc

# Integers only: what computes with floats names the operation.
halves(x) = x / 2.0
#: fails bpf asm 'halves(Float64)'
#: check: bpf.jl:

#: upstream: test/bpf.jl "Function Pointers"
helper(x) = Base.llvmcall("%2 = call i64 inttoptr (i64 3 to ptr)(i64 %0)\nret i64 %2", Int, Tuple{Int}, x)
nobody(x) = Base.llvmcall("%2 = call i64 inttoptr (i64 3000 to ptr)(i64 %0)\nret i64 %2", Int, Tuple{Int}, x)
#: run bpf asm 'helper(Int64)' --strip
#: check: call 3
#: nextln: exit
#: fails bpf asm 'nobody(Int64)'
#: check: call through a literal pointer
