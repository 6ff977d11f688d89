# An array whose elements are not plain bits is refused on the CPU too.
using KernelAbstractions

@kernel function lengths!(out, words)
    i = @index(Global)
    out[i] = sizeof(words[i])
end

lengths!(CPU())(zeros(Int, 2), ["a", "bc"]; ndrange = 2)
