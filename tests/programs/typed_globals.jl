# A global with a declared type: all assignments convert, and the type does not change.
using Test
count::Int = 1
count = 2.0
@test count === 2
set(x) = (global count = x)
@test set(3.0) === 3.0 && count === 3
@test_throws InexactError set(1.5)
@test_throws MethodError set("text")
@test count === 3
for i in 1:4
    global count += i / 1
end
@test count === 13
global later::Float64
@test !isdefined(Main, :later)
later = 1
@test later === 1.0
twice() = 2 * later
@test (@inferred twice()) === 2.0
untyped = 1
@test_throws "cannot set type for global Main.untyped" Core.eval(Main, :(untyped::Int = 2))
@test_throws "cannot set type for global Main.later" Core.eval(Main, :(global later::Int))
later::Float64 = 5
@test later === 5.0
# In a function a declaration is about a local, or it is an error.
@test_throws "not at top level" Core.eval(Main, :(f() = (global later::Int = 1)))
let x::Int = 3.0
    @test x === 3
end
