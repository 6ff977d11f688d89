# A package whose state is made by `__init__`, after those of the modules in it.
module Initial
const order = String[]
module Inner
module Innermost
__init__() = push!(parentmodule(parentmodule(@__MODULE__)).order, "innermost")
end
__init__() = push!(parentmodule(@__MODULE__).order, "inner")
end
const state = Ref(0)
__init__() = (push!(order, "root"); state[] = 42)
end
