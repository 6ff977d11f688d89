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
