# Text, dictionaries, sets, input and output, macros, errors, modules.
# Each line: an expression and the value, of the same type, that Julia gives.
using Test
const DIR = mktempdir()

macro t(a, b)
    quote
        @test isequal($(esc(a)), $(esc(b)))
        @test typeof($(esc(a))) === typeof($(esc(b)))
    end
end
macro throws(T, a)
    :(@test_throws $(esc(T)) $(esc(a)))
end

A = [1 2 3; 4 5 6]
@t "abc"[2] 'b'
@t "αβγ"[3] 'β'
@t length("αβγ") 3
@t collect("αb") ['α', 'b']
@t "abc"[2:3] "bc"
@t "a" * "b" "ab"
@t "ab"^3 "ababab"
@t string(1, "a", 2.5, 'c', :d) "1a2.5cd"
@t "x = $(1 + 1)" "x = 2"
@t split("a b  c") SubString{String}["a", "b", "c"]
@t split("a,b,,c", ",") SubString{String}["a", "b", "", "c"]
@t split("a,b,,c", ','; keepempty = false) SubString{String}["a", "b", "c"]
@t join(["a", "b", "c"], ", ", " and ") "a, b and c"
@t strip("  ab ") SubString("ab")
@t lstrip("xxab", 'x') SubString("ab")
@t rstrip("ab\n") SubString("ab")
@t chomp("ab\n") SubString("ab")
@t startswith("abc", "ab") true
@t endswith("abc", "bc") true
@t occursin("bc", "abcd") true
@t contains("abcd", "bc") true
@t replace("aXbX", "X" => "y") "ayby"
@t replace("abc", 'b' => 'x') "axc"
@t findfirst("b", "abc") 2:2
@t findfirst('b', "abc") 2
@t findnext("a", "aba", 2) 3:3
@t uppercase("abc") "ABC"
@t lowercase("ABC") "abc"
@t lpad(5, 3) "  5"
@t lpad("a", 3, '0') "00a"
@t rpad("a", 3) "a  "
@t repeat("ab", 2) "abab"
@t reverse("abc") "cba"
@t cmp("a", "b") -1
@t "a" < "b" true
@t isempty("") true
@t nextind("αβ", 1) 3
@t prevind("αβ", 3) 1
@t codeunits("ab") == UInt8[0x61, 0x62] true
@t ncodeunits("α") 2
@t Symbol("a", 1) :a1
@t String(:abc) "abc"
@t parse(Int, "ff", base = 16) 255
@t parse(Bool, "true") true
@t string(10, base = 2) "1010"
@t string(5, pad = 3) "005"
@t 'a' < 'b' true
@t isdigit('5') true
@t isletter('a') true
@t Int('α') 945
@t '\u3b1' 'α'
@t first("abc", 2) "ab"
@t last("abc", 2) "bc"
@t chop("abc") SubString("ab")
@t titlecase("hello world") "Hello World"
@t repr("a\"b\n") "\"a\\\"b\\n\""
@t repr('a') "'a'"
@t repr(:a) ":a"
@t repr([1, 2]) "[1, 2]"
@t repr((1,)) "(1,)"
@t repr(1.0) "1.0"
@t repr(1e100) "1.0e100"
@t repr(nothing) "nothing"
@t repr(1:3) "1:3"
@t repr(Dict(1 => 2)) "Dict(1 => 2)"
@t repr([1.5 2; 3 4]) "[1.5 2.0; 3.0 4.0]"
@t repr("a" => 1) "\"a\" => 1"
@t repr((a = 1,)) "(a = 1,)"
@t repr(Int[]) "Int64[]"
@t repr([true]) "Bool[1]"
@t repr(Float32[1]) "Float32[1.0]"
@t repr(1 // 2) "1//2"
@t repr(:(a + b)) ":(a + b)"
@t repr(Vector{Int}) "Vector{Int64}"
@t repr(x -> x) isa String true
@t (io = IOBuffer(); print(io, "a", 1); println(io); String(take!(io))) "a1\n"
@t sprint(print, 5) "5"
@t sprint(show, "x") "\"x\""
@t read(IOBuffer("abc"), String) "abc"
@t readline(IOBuffer("ab\ncd")) "ab"
@t readlines(IOBuffer("ab\ncd")) ["ab", "cd"]
@t joinpath("a", "b") "a/b"
@t dirname("/a/b.jl") "/a"
@t basename("/a/b.jl") "b.jl"
@t splitext("a.jl") ("a", ".jl")
@t isfile("/nonexistent") false
@t normpath("/a/../b/./c") "/b/c"
@t (write(joinpath(DIR, "x.txt"), "hello\nworld"); read(joinpath(DIR, "x.txt"), String)) "hello\nworld"
@t open(readlines, joinpath(DIR, "x.txt")) ["hello", "world"]
@t open(joinpath(DIR, "y.txt"), "w") do io; write(io, "abc"); end 3
@t VERSION v"1.12.0"
@t v"1.2.3" < v"1.10" true
@t Threads.nthreads() 1
@t haskey(ENV, "PATH") true
@t (s = Ref(0); Threads.@threads for i in 1:3; s[] += i; end; s[]) 6
@t Meta.parse("1 + 2") :(1 + 2)
@t eval(:(1 + 2)) 3
@t (@eval 3 * 4) 12
@t (try; error("x"); catch e; e.msg; end) "x"
@t (try; throw(ArgumentError("y")); catch e; sprint(showerror, e); end) "ArgumentError: y"
@t (try; [1][2]; catch e; sprint(showerror, e); end) "BoundsError: attempt to access 1-element Vector{Int64} at index [2]"
@t (try; Dict()[1]; catch e; sprint(showerror, e); end) "KeyError: key 1 not found"
@t (try; Int8(300); catch e; sprint(showerror, e); end) "InexactError: trunc(Int8, 300)"
@t (try; Int(1.5); catch e; sprint(showerror, e); end) "InexactError: Int64(1.5)"
@t (try; UInt(-1); catch e; sprint(showerror, e); end) "InexactError: check_top_bit(UInt64, -1)"
@t (try; undefined_thing; catch e; String(first(split(sprint(showerror, e), '\n'))); end) "UndefVarError: `undefined_thing` not defined in `Main`"
@t (try; sqrt(-1); catch e; e isa DomainError; end) true
@t (try; 1 ÷ 0; catch e; sprint(showerror, e); end) "DivideError: integer division error"
@t (try; (1, 2)[3]; catch e; sprint(showerror, e); end) "BoundsError: attempt to access Tuple{Int64, Int64} at index [3]"
@t (try; @assert 1 == 2; catch e; sprint(showerror, e); end) "AssertionError: 1 == 2"
@t (try; @assert false "msg"; catch e; sprint(showerror, e); end) "AssertionError: msg"
@t (try; "a" + 1; catch e; e isa MethodError; end) true
@t (try; nothing.x; catch e; sprint(showerror, e); end) "FieldError: type Nothing has no field `x`; Nothing has no fields at all."
@t (try; try; error("a"); finally; end; catch e; e.msg; end) "a"
@t (try; try; error("a"); catch; rethrow(); end; catch e; e.msg; end) "a"
Base.@kwdef struct KW
    a::Int = 1
    b::Float64
end
@t KW(b = 2).a 1
@t KW(; a = 3, b = 2).b 2.0
Base.@kwdef mutable struct KW2{T}
    x::T = 5
    y = 3
end
@t KW2().x 5
@t KW2{Float64}().x 5.0
@enum Color red green blue
@t Int(green) 1
@t red < blue true
@t Color(2) blue
@t string(red) "red"
@enum Fruit::UInt8 apple = 3 banana
@t UInt8(banana) 0x04
@t (@something nothing 3) 3
@t (@static if VERSION > v"1.0"; 1; else; 2; end) 1
@t @isdefined(red) true
@t (@elapsed 1 + 1) isa Float64 true
@t (@time 5) 5
@t (@view [1, 2, 3][2:end])[1] 2
@t (a = [1, 2, 3]; @views a[1:2] .+ a[2:3]) [3, 5]
@t (@inbounds [1, 2][1]) 1
@t (s = 0; @simd for i in 1:3; s += i; end; s) 6
@t (@fastmath 1.0 + 2.0 * 3) 7.0
@t Base.Cartesian.@ntuple(3, i -> i^2) (1, 4, 9)
@t (Base.Cartesian.@nexprs 2 i -> (v_i = i * 10); v_2) 20
f1(x; a = 1, b = a + 1) = x + a + b
@t f1(1) 4
@t f1(1; a = 2) 6
@t f1(1; (b = 5,)...) 7
f2(x; kws...) = length(kws)
@t f2(1; a = 1, b = 2) 2
@throws MethodError f1(1; c = 3)
f3(x, y = 2, z...) = (x, y, z)
@t f3(1) (1, 2, ())
@t f3(1, 5, 6, 7) (1, 5, (6, 7))
@t map(x -> x + 1, 1:3) [2, 3, 4]
@t (g = (x, y) -> x * y; g(2, 3)) 6
@t (+)(1, 2, 3) 6
@t (sin ∘ cos)(0.0) == sin(1.0) true
@t ([1, 2] |> sum) 3
@t Base.Fix2(-, 1)(5) 4
@t (!isodd)(2) true
@t identity(3) 3
@t ifelse(true, 1, 2) 1
@t (1, 2) |> first 1
@t (x = 5; x += 2; x) 7
@t let a = 1, b = 2; a + b end 3
@t [i for i in 1:3 if i != 2] [1, 3]
@t (function (x); x * 2 end)(4) 8
@generated gen(x) = x === Int ? :(x + 1) : :(0)
@t gen(3) 4
@t gen(3.0) 0
@t @macroexpand(@inline f(x) = x) isa Expr true
module Foo
export bar
bar() = 42
baz = 3
end
using .Foo
@t bar() 42
@t Foo.baz 3
struct Pt
    x::Int
    y::Int
end
Base.:+(a::Pt, b::Pt) = Pt(a.x + b.x, a.y + b.y)
@t Pt(1, 2) + Pt(3, 4) Pt(4, 6)
@t (mutable = 1; mutable) 1
mutable struct Mu
    a
    b::Float64
end
@t (m = Mu(1, 2); m.b = 3; m.b) 3.0
@t (deepcopy([[1], [2]])) [[1], [2]]
@t objectid(1) == objectid(1) true
@t isa(1, Integer) true
@t (1 isa Int && 2 isa Number) true
@t typeof(:a) Symbol
@t nameof(sin) :sin
@t string(typeof(1.0)) "Float64"
@t string(Array{Int, 2}) "Matrix{Int64}"
@t (x = [1, 2, 3]; x[2] += 5; x) [1, 7, 3]
@t (a = 1; b = 2; (a, b) = (b, a); (a, b)) (2, 1)
@t (; a, b) = (a = 1, b = 2) (a = 1, b = 2)
@t (while true; break; end) nothing
@t begin; local s = 0; for i in 1:2, j in 1:3; s += i * j; end; s; end 18
@t (r = 0; for (i, x) in enumerate([5, 6]); r += i * x; end; r) 17
@t sum(i * j for i in 1:2, j in 1:2) 9
@t Some(1).value 1
@t coalesce(missing, 1) 1
@t ismissing(missing + 1 === missing ? missing : missing) true
@t time() > 0 true
@t minimum([3, 1]; init = 0) 0
@t sum([1, 2]; init = 10) 13
@t rand() < 1 true
@t length(rand(3)) 3
@t Base.promote_op(+, Int, Float64) Float64
@t isnothing(nothing) true
@t repr(Foo) "Main.Foo"
@t "$(1:3)" "1:3"
@t "$([1.0, 2.0])" "[1.0, 2.0]"
@t string(nothing) "nothing"
@t (1:3)' * [1, 2, 3] 14
@t Complex(1, 2) * Complex(3, 4) Complex(-5, 10)
@t abs(3 + 4im) 5.0
@t hypot(3, 4) 5.0
@info "hello info" 5
latest(x; k = 1) = x + k
@testset "the newest world, and the long form by name" begin
    @test @invokelatest(latest(1; k = 3)) == 4 && @invokelatest([4, 5][2]) == 5
    cells = [1, 2]
    @invokelatest cells[1] = 7
    @test cells == [7, 2]
    @test sprint(show, "text/plain", [1, 2]) == "2-element Vector{Int64}:\n 1\n 2"
end
