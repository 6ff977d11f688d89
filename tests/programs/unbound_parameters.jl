# A static parameter that a call does not determine: reading it throws, interpreted and compiled, and it is undefined.
using Test

absent(x) where {T} = T
second(x::T, y::S) where {T, U, S} = (T, S, U)
rest(x::T, y::S...) where {T, S} = S
member(x::Union{T, Nothing}) where {T} = T
asks(x, y::S...) where {S} = @isdefined(S)
closes(x) where {T} = (f = () -> T; f())
keyword(x; k = 1) where {T} = (k, T)
message(f, args...; k...) = sprint(showerror, try f(args...; k...) catch e e end)
words = "UndefVarError: `T` not defined in static parameter matching\nSuggestion: run Test.detect_unbound_args to " *
        "detect method arguments that do not fully constrain a type parameter."
@test message(absent, 1) == words && message(member, nothing) == words && message(keyword, 1; k = 2) == words
@test_throws UndefVarError(:U, :static_parameter) second(1, 2)
@test_throws UndefVarError(:S, :static_parameter) rest(1)
@test_throws UndefVarError(:T, :static_parameter) closes(1)
@test rest(1, 2) === Int && member(1) === Int && !asks(1) && asks(1, 2)

# The same in loops that are compiled.
sum_of(n, f) = (s = 0; for i in 1:n; s += i; end; f(s))
for _ in 1:3
    @test_throws UndefVarError(:T, :static_parameter) sum_of(100_000, absent)
    @test_throws UndefVarError(:S, :static_parameter) sum_of(100_000, rest)
end
function assigned_late(n)
    s = 0
    for i in 1:n
        s += i
        s > 1_000_000_000 && (local never; s = never)
    end
    s
end
@test_throws UndefVarError(:never, :local) assigned_late(100_000)
