# Expressions show as text that makes them again.
using Test

round_trip(e) = Meta.parse(string(e)) == e && eval(Meta.parse(repr(e))) == e

@testset "calls and operators" begin
    @test repr(:(f(x, y; k = 1))) == ":(f(x, y; k = 1))"
    @test repr(:(a + b * c)) == ":(a + b * c)"
    @test repr(:((a + b) * c)) == ":((a + b) * c)"
    @test repr(:(-(x^2))) == ":(-(x ^ 2))"
    @test repr(:(3x + 0x01)) == ":(3x + 0x01)"
    @test repr(:(i:2:j)) == ":(i:2:j)"
    @test string(:((+)(1))) == "+1"
    @test string(:((*)(1))) == "(*)(1)"
    @test string(:(a ⊗₁ b)) == "a ⊗₁ b"
    @test all(round_trip, (:(a && b || c), :(x::Int), :(f.(x)), :(a.b.c), :(x'), :(a < b <= c), :(t[end]), :(f(x...))))
end
@testset "brackets and generators" begin
    @test all(round_trip, (:([1, 2]), :([1 2; 3 4]), :((1,)), :((a = 1, b = 2)), :([x for x in y if z]), :(Int[]), :((x for x in a, y in b)),
        :([1;;; 2])))
    @test string(:((;))) == "(;)"
    @test string(:((a, ; b = 1))) == "(a,; b = 1)"
end
@testset "statements" begin
    @test string(:(using A: b as c, d)) == "using A: b as c, d"
    @test string(:(import ..A.B)) == "import ..A.B"
    @test string(Expr(:public, :a, Symbol("@b"))) == "public a, @b"
    @test string(Expr(:abstract, :(A <: B))) == "abstract type A <: B end"
    @test repr(Expr(:while, :x, Expr(:block, :y))) == ":(while x\n      y\n  end)"
    @test repr(Expr(:if, :a, 1, Expr(:elseif, :b, 2, 3))) == ":(if a\n      1\n  elseif b\n      2\n  else\n      3\n  end)"
end
@testset "names, quotes and interpolation" begin
    @test repr(:x) == ":x" && repr(:(==)) == ":(==)" && repr(Symbol("a b")) == "Symbol(\"a b\")"
    @test string(:(f($(Symbol("a b"))))) == "f(var\"a b\")"
    @test repr(QuoteNode(:a)) == ":(:a)"
    @test repr(Expr(:$, :a)) == ":(\$(Expr(:\$, :a)))"
    @test string(Expr(:$, :a)) == "\$a"
    @test string(:("a$(b)c")) == "\"a\$(b)c\""
    @test string(Expr(:unknown, 1)) == "\$(Expr(:unknown, 1))"
    @test endswith(string(:(@m x y)), "=# @m x y")
    @test repr(GlobalRef(Base, :sin)) == ":(Base.sin)"
end
@testset "operators and identifiers" begin
    @test Base.operator_precedence(:+) == 11 && Base.operator_precedence(:⊗) == 12 && Base.operator_precedence(:.^) == 15
    @test Base.operator_associativity(:^) === :right && Base.operator_associativity(:-) === :left
    @test Base.isidentifier(:α′) && !Base.isidentifier("1x") && !Base.isidentifier(:+)
    @test Base.isoperator(Symbol(".+")) && !Base.isoperator(:in) && Base.isbinaryoperator(:-) && !Base.isbinaryoperator(:!)
end
