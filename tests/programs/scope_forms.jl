# Forms of definition and assignment that lowering takes apart: constants, functions as targets, defaults of `rest...`,
# macros of other modules, names of macros' results; and what it refuses.
using Test

const first_constant() = 1
const (second_constant(), third_constant) = (2, 3)
@test (first_constant(), second_constant(), third_constant) == (1, 2, 3) && isconst(@__MODULE__, :third_constant)
const (some..., last_one) = (1, 2, 3)
@test (some, last_one) == ((1, 2), 3)
const (; re, im) = (im = 5, re = 6)
@test (re, im) == (6, 5)

rest_default(x = 1, more... = (2, 3)...) = (x, more)
@test rest_default() == (1, (2, 3)) && rest_default(4) == (4, (2, 3)) && rest_default(4, 5) == (4, (5,))
of_pair(limit) = (a, _)::Pair -> a > limit
@test of_pair(2)(3 => 4) && !isdefined(@__MODULE__, :_)

module Host
macro name end
end
macro Host.name()
    7
end
@test (Host.@name) == 7

macro alias()
    quote
        Pairs{A} = Tuple{A, A}
        Pairs
    end
end
@test @alias() == (Tuple{A, A} where A)
macro doubling()
    :(twice_of($(esc(:x))) = 2x)
end
@test (@doubling)(4) == 8

@test "$((1, 2)...)" == "12"

message(ex) = try Core.eval(@__MODULE__, ex); "" catch e; e isa ErrorException ? e.msg : string(e) end
@test message(:(f(a, a) = 1)) |> startswith("syntax: function argument name not unique: \"a\"")
@test message(:(f(; a..., b = 1) = 1)) == "syntax: invalid \"...\" on non-final keyword argument"
@test message(:("a" = 1)) == "syntax: invalid assignment location \"\"a\"\""
@test message(:(f(x = 1, x = 2))) == "syntax: keyword argument \"x\" repeated in call to \"f\""
@test message(:([return 1 for i in 1:2])) == "syntax: \"return\" not allowed inside comprehension or generator"
@test message(:(break)) == "syntax: break or continue outside loop"
@test message(:(y = _)) |> startswith("syntax: all-underscore identifiers are write-only")
@test message(:(function () struct A end end)) == "syntax: \"struct\" expression not at top level"
@test message(:((a, b)::Int = 2)) |> startswith("syntax: invalid type declaration")
@test message(:(const z[] = 1)) == "syntax: cannot declare \"z[]\" `const`"
@test message(:(a => b = 2)) == "invalid method definition in Main: function Base.=> must be explicitly imported to be extended"

# What an argument cannot be is assigned in the body of a generator.
@test [f() + x for (f(), x) in ((1, 2), (3, 4))] == [3, 7]
@test [x for x::Float64 in 1:2] == [1.0, 2.0]
@test [(f(), j) for f() in 1:2 for j in 1:f()] == [(1, 1), (2, 1), (2, 2)]

# A declared type that is captured: with what it refers to, in functions inside functions, of methods, of each iteration.
deep(x::S) where {S} = (y::S = x; outer() = (inner() = (y = 2; y); inner()); outer())
@test deep(1.0) === 2.0 && deep(0x01) === 0x02
unassigned(x::T) where {T} = (local y::T; set = () -> (y = 2); set(); y)
@test unassigned(1.0) === 2.0
chained() = (A = Int; x::A = 1; y::typeof(x) = 1; set() = (y = 2.0); set(); y)
@test chained() === 2
let kind = Int8
    n::kind = 1
    global next_int8() = (n += 1)
end
@test next_int8() == 2 && next_int8() == 3 && (for _ in 1:124; next_int8(); end; true)
@test_throws InexactError next_int8()
mutual() = (local x::y; local y::x; set() = (x = 1; y = Int); set())
@test_throws UndefVarError mutual()
