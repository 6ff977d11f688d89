# Code as a value: `Meta.lower`, `code_lowered`, `code_typed`, thunks that are evaluated, and generators that return code.
using Test, InteractiveUtils

@test Meta.lower(Main, :(x...)) == Expr(:error, "\"...\" expression outside call")
@test Meta.lower(Main, 3) === 3 && Meta.lower(Main, :name) === :name
let thunk = Meta.@lower total = 3 + 4
    @test Meta.isexpr(thunk, :thunk) && thunk.args[1] isa Core.CodeInfo
    @test eval(thunk) == 7 && total == 7
end
eval(Meta.lower(Main, :(added(x) = x + 40)))
@test added(2) == 42
@test_throws ErrorException eval(Expr(:thunk, 1))

double(x) = (y = x * 2; y + 1)
let code = only(code_lowered(double, (Int,)))
    @test code.slotnames[2] === :x && code.nargs == 2 && code.code[end] isa Core.ReturnNode
    @test any(x -> Meta.isexpr(x, :(=)), code.code)
end
let (code, type) = only(code_typed(double, (Int,)))
    @test type === Int && length(code.code) == length(code.ssavaluetypes)
    @test occursin("Base.mul_int", string(code))
end
@test (@code_lowered double(1)) isa Core.CodeInfo
@test last(@code_typed double(1.0)) === Float64
@test occursin("ret", sprint(code_llvm, double, Tuple{Int}))

# A generator gets the world, the method, the types of the function and of the arguments.
sum_of(world, method, self, a, b) = (@test method isa Method; :(a + b + $(a === Int ? 1 : 0)))
@eval generated_sum(a, b) = $(Expr(:block, Expr(:meta, :generated, sum_of), Expr(:meta, :generated_only)))
@test generated_sum(1, 2) == 4 && generated_sum(1.0, 2) == 3.0
const product_code = only(code_lowered((a, b) -> a * b))
product_of(world, method, self, a, b) = product_code
@eval generated_product(a, b) = $(Expr(:block, Expr(:meta, :generated, product_of), Expr(:meta, :generated_only)))
@test generated_product(3, 4) == 12
@generated function asks(::F) where {F}
    F.instance(+, (Int, Int))
    :(1)
end
@test_throws ErrorException("code reflection cannot be used from generated functions") asks(code_typed)
