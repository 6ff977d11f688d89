# Rules of lowering that a program can see: splats of `new` and of splats, typed places, conversion of results, declarations.
using Test

struct Filled{T}
    x::Int8
    y::T
    Filled{T}(args...) where {T} = new(0, args..., 1)
end
@test Filled{Int16}().y === Int16(1)
@test_throws ArgumentError("new: too many arguments (expected 2)") Filled{Int16}(1)
@test string(([[:a, :b], [:c]]...)...) == "abc"

v = zeros(2)
v[1]::Float64 = 1
@test v == [1.0, 0.0]
@test_throws TypeError (v[1]::Int = 1)

# No `catch` of a body sees what the conversion of its result throws.
converted()::Int = try
    return ""
catch
    8
end
@test_throws MethodError converted()

const First{T}, Second{T} = Int, Bool
@test First === Int && Second === Bool
@test_throws "unsupported `const` declaration on local variable" eval(:(let; local c; const c = 1; end))
@test_throws "label \"a\" referenced but not defined" eval(:(@goto a))
@test_throws "label \"a\" defined multiple times" eval(:(function twice() @label a; @label a; end))
@test_throws "\"esc(...)\" used outside of macro expansion" eval(esc(:(x = 1)))
@test_throws "invalid \"...\" in non-final positional argument default value" eval(:(f(a = (1, 2)..., b = 3) = b))

# The error of a macro in evaluated code names the place of the call.
macro fails() error("no") end
let problem = try eval(Expr(:macrocall, Symbol("@fails"), LineNumberNode(7, :here))) catch e e end
    @test problem isa LoadError && problem.line == 7 && problem.file == "here" && problem.error == ErrorException("no")
end
module Owner
    export shown
    shown = 1
end
using .Owner
own = 2
@test isdefinedglobal(Main, :shown) && !isdefinedglobal(Main, :shown, false) && isdefinedglobal(Main, :own, false)
@test_throws ConcurrencyViolationError setglobal!(Main, :own, 3, :not_atomic)
let f() = (T = Rational{Core.TypeVar(:T)}; () -> T)
    @test fieldtype(typeof(f()), 1) === DataType
end

@testset "variables assigned before they are captured" begin
    boxes(f) = any(x -> occursin("Core.Box", string(x)), code_lowered(f)[1].code)
    function replaced(a)
        a = a + 1
        () -> a
    end
    @test replaced(1)() == 2 && !boxes(replaced)
    function either(c)
        c ? (x = 1) : (x = "b")
        () -> x
    end
    @test either(true)() == 1 && either(false)() == "b" && !boxes(either)
    function later(a)
        f = () -> a
        a += 1
        f
    end
    @test later(1)() == 2 && boxes(later)
    function counted(n)
        y = 0
        fs = []
        for _ in 1:n
            push!(fs, () -> y)
            y += 1
        end
        map(f -> f(), fs)
    end
    @test counted(2) == [2, 2] && boxes(counted)
    function itself(a)
        a = (() -> a)
        a
    end
    @test itself(1)() isa Function
end
