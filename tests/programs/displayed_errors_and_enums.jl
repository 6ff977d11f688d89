# What is displayed of enumerations, methods, stack traces and the exceptions being handled.
using Test
plain(x) = repr(MIME("text/plain"), x)
@enum Fruit apple = 1 banana orange
@test plain(apple) == "apple::Fruit = 1" && plain(Fruit) == "Enum Fruit:\napple = 1\nbanana = 2\norange = 3"
@test string(apple) == "apple" && instances(Fruit) == (apple, banana, orange)
fails() = error("inside")
function trace()
    try
        fails()
    catch
        return catch_backtrace(), current_exceptions()
    end
end
frames = stacktrace(trace()[1])
@test frames[2].func === :fails && frames[2].line == 7 && endswith(string(frames[2]), "displayed_errors_and_enums.jl:7")
@test startswith(sprint(showerror, ErrorException("e"), trace()[1]), "e\nStacktrace:\n [1] error(msg::String)\n   @ Base ")
@test startswith(plain(trace()[2]), "1-element ExceptionStack:\ninside\nStacktrace:\n")
f(x::Int, y...) = 1
f(x::Vector{T}, ::Symbol) where {T <: Real} = 2
listed = plain(methods(f))
@test startswith(listed, "# 2 methods for generic function \"f\" from Main:\n [1] f(x::")
@test occursin("f(x::Int64, y...)\n     @ Main ", listed) && occursin("f(x::Vector{T}, ::Symbol) where T<:Real\n", listed)
@test length(methods(f, (Int,))) == 1
# What a program defines is offered before what the library does.
struct Length end
Base.:*(::Length, n::Int) = n
@test occursin("\n  *(::Length, !Matched::Int64)\n   @ Main ", try Length() * "a" catch e; sprint(showerror, e) end)
@test_throws "no method matching (::var\"" (x -> x)(1, 2)
