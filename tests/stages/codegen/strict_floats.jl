# A product and a sum of floats keep their order and their two roundings; `@fastmath` lets LLVM change both, and says so at
# each of them.
plain(a, b, c) = a * b + c
fast(a, b, c) = @fastmath a * b + c

#: emitted 'plain(Float64, Float64, Float64)'
#: check: fmul double
#: check: fadd double
#: emitted 'fast(Float64, Float64, Float64)'
#: check: fmul fast double
#: check: fadd fast double
