# Code sees the definitions of its world: calls, tasks, launches and constants, and methods that were deleted.
using Test
using CUDA

f(x) = x + 1
kernel!(o) = (o[1] = f(o[1]); return)
function redefined(o)
    @eval f(x) = x + 1000
    @cuda kernel!(o)
    f(0), Base.invokelatest(f, 0)
end
o = CuArray([0])
@test redefined(o) == (1, 1000)
@test Array(o) == [1]
@cuda kernel!(o)
@test Array(o) == [1001]

# A task keeps the world that made it, whenever it runs.
g() = :old
task = @task g()
g() = :new
@test fetch(schedule(task)) === :old && fetch(@async g()) === :new

before = Base.get_world_counter()
h(; k = 1) = k
h() = 2
@test Base.get_world_counter() > before && Base.tls_world_age() == Base.get_world_counter()
@test_throws MethodError Base.invoke_in_world(before, h)
@test Base.invoke_in_world(Base.get_world_counter(), h) == 2

# A method that is deleted gives way to the one it had replaced, unless that is deleted too.
p() = 1
first_method = which(p, ())
p() = 2
second_method = which(p, ())
q() = p()
@test q() == 2
Base.delete_method(second_method)
@test q() == 1
Base.delete_method(which(p, ()))
@test_throws MethodError q()
@test_throws "already disabled" Base.delete_method(second_method)

# `invoke` checks the types it is given.
r(x) = :any
r(x::Int) = :int
@test invoke(r, Tuple{Any}, 1) === :any && @invoke(r(1::Any)) === :any
@test_throws TypeError invoke(r, Tuple{Int}, 1.0)
@test invoke(getfield, Tuple{Any, Symbol}, (a = 5,), :a) == 5
s(x::Int, y) = 1
s(x, y::Int) = 2
@test_throws MethodError invoke(s, Tuple{Int, Int}, 1, 2)

# Names in modules are declared before they are assigned.
module Names
    export there
    public also
    there = also = 1
    hidden::Int = 2
end
@test Base.isexported(Names, :there) && !Base.isexported(Names, :also)
@test Base.ispublic(Names, :also) && !Base.ispublic(Names, :hidden)
@test_throws "does not exist" Names.nothing_here = 1
Names.hidden = 3
@test Names.hidden == 3 && Base.binding_module(Main, :there) === Main

# Inference answers for the world asked.
i(x) = 1
world = Base.get_world_counter()
i(x) = 1.0
@test Base.infer_return_type(i, (Int,)) == Float64 && Base.infer_return_type(i, (Int,); world) == Int
@test Base.return_types(===, (Any, Any)) == [Bool] && Core.Compiler.return_type(i, Tuple{Any}) == Float64
@test Core.Compiler.is_foldable(Base.infer_effects(+, (Int, Int))) && !Core.Compiler.is_effect_free(Base.infer_effects(println, (Int,)))

# An iterator that returns neither nothing nor a pair.
struct Broken end
Base.iterate(::Broken, state...) = ()
@test_throws BoundsError (Broken()...,)
@test_throws "cannot add methods to builtin function" @eval (::Function)() = 1
@test include_string(@__MODULE__, "x = 1\nx + 1") == 2
@test_throws LoadError include_string(@__MODULE__, "error(1)")

# An opaque closure sees the world that made it.
made() = 1
opaque = Base.Experimental.@opaque () -> made()
made() = 2
@test opaque() == 1 && made() == 2
@test (Base.Experimental.@opaque (x::Int, y) -> x + y)(1, 2.5) == 3.5
@test_throws TypeError (Base.Experimental.@opaque (x::Int) -> x)(1.0)
