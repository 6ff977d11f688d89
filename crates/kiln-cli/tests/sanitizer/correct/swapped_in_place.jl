# Each item of the first half swaps its element with one of the second half.
using KernelAbstractions, Test

@kernel function reverse!(a)
    i = @index(Global, Linear)
    n = length(a)
    other = n + 1 - i
    a[i], a[other] = a[other], a[i]
end

a = collect(1:100)
reverse!(CPU(), 16)(a; ndrange = 50)
KernelAbstractions.synchronize(CPU())
@test a == 100:-1:1
