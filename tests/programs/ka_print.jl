# `@print` of KernelAbstractions: as Julia prints, interpolated strings too.
using KernelAbstractions, Test

@kernel function announce(a)
    i, j = @index(Global, NTuple)
    if i == j
        @print("item ($i, $j) has ", a[i, j], " ", a[i, j] > 2, " ", isodd(i) ? i : nothing, "\n")
        text = "a string made from $i"
        @print(text, '\n')
    end
end
announce(CPU(), (2, 2))([1.0 2.0; 3.0 4.0], ndrange = (2, 2))
KernelAbstractions.synchronize(CPU())
redirect_stdout(devnull) do
    announce(CPU(), (2, 2))([1.0 2.0; 3.0 4.0], ndrange = (2, 2))
end
@print("outside of a kernel ", 1.0, "\n")
