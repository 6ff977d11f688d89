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
unknown_helper(x) = Base.llvmcall("%2 = call i64 inttoptr (i64 3000 to ptr)(i64 %0)\nret i64 %2", Int, Tuple{Int}, x)
#: run bpf asm 'helper(Int64)' --strip
#: check: call 3
#: nextln: exit
#: fails bpf asm 'unknown_helper(Int64)'
#: check: call through a literal pointer

# What fails returns the number of its site, below zero; `crates/kiln-cli/tests/bpf.rs` runs it. Nothing is 0.
guarded(x::Int32) = x == 7 ? error("seven") : x
#: run bpf asm 'guarded(Int32)'
#: check: r0 = -1
nothing_said(x) = nothing
#: run bpf asm 'nothing_said(Int64)'
#: check: r0 = 0
#: nextln: exit

# A program takes five values, in registers; functions of it take as many as they like, and return several.
takes_six(a, b, c, d, e, f) = a + b + c + d + e + f
#: fails bpf asm 'takes_six(Int64, Int64, Int64, Int64, Int64, Int64)'
#: check: error[target-limit]
#: check: 6 arguments: a program for bpf takes 5, in registers
@noinline inner_six(a, b, c, d, e, f) = (a * b + c, d * e + f)
calls_six(a, b) = (t = inner_six(a, b, 1, 2, a, b); t[1] ⊻ t[2])
#: run bpf asm 'calls_six(Int64, Int64)'
#: not: call
#: check: exit

# There is no stack to come back on: the call by which a function comes to call itself is named.
@noinline twice_over(n) = n <= 1 ? 1 : n * twice_over(n - 2) + twice_over(n - 1)
recursive(n) = twice_over(n)
#: fails bpf asm 'recursive(Int64)'
#: check: error[target-limit]
#: check: recursion
#: check: bpf.jl:62:
