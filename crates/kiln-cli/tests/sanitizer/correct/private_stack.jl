# Each item keeps a stack of its own, and reads what it pushed.
using KernelAbstractions, Test

@kernel function collatz!(y)
    i = @index(Global, Linear)
    stack = @private Int (128,)
    n, top = i, 0
    while n != 1
        top += 1
        stack[top] = n
        n = iseven(n) ? n ÷ 2 : 3n + 1
    end
    largest = 1
    while top > 0
        largest = max(largest, stack[top])
        top -= 1
    end
    y[i] = largest
end

function largest(n)
    all = n
    while n != 1
        n = iseven(n) ? n ÷ 2 : 3n + 1
        all = max(all, n)
    end
    return all
end

y = zeros(Int, 50)
collatz!(CPU(), 10)(y; ndrange = 50)
KernelAbstractions.synchronize(CPU())
@test y == largest.(1:50)
