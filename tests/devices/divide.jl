# A division by zero of one item, in a kernel of KernelAbstractions.
using KernelAbstractions
@kernel function divide!(a, b)
    i = @index(Global)
    a[i] = a[i] ÷ b[i]
end
a, b = collect(1:64), ones(Int, 64)
b[17] = 0
divide!(CPU(), 8)(a, b; ndrange = 64)
