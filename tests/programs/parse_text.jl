# Text to expressions: positions, input that is not complete, errors, files of text.
using Test

@testset "positions" begin
    @test Meta.parse("a + 1\nb", 1) == (:(a + 1), 7)
    @test Meta.parse("a + 1\nb", 7) == (:b, 8)
    @test Meta.parse("a  # why\nb", 1) == (:a, 10)
    @test Meta.parse("", 1) == (nothing, 1)
    @test_throws BoundsError Meta.parse("a", 0)
    @test_throws BoundsError Meta.parse("a", 3)
    @test Meta.parse("f(x) y", 1; greedy = false) == (:f, 2)
    @test Meta.parseatom("(1, 2) + 3", 1) == (:((1, 2)), 7)
end

@testset "what is wrong" begin
    @test_throws Meta.ParseError Meta.parse("a b")
    @test_throws Meta.ParseError Meta.parse("f(]")
    wrong = Meta.parse("f(]"; raise = false)
    @test Meta.isexpr(wrong, :error) && wrong.args[1] isa Meta.ParseError
    @test occursin("# Error @ none:1:", sprint(showerror, wrong.args[1]))
    @test_throws Meta.ParseError eval(wrong)
    @test_throws ErrorException("syntax: no") eval(Expr(:error, "no"))
end

@testset "what is not complete" begin
    for (text, tag) in ("f(1," => :other, "begin\n a" => :block, "\"abc" => :string, "`ls" => :cmd, "#= a" => :comment,
                        "for i in 1:3;" => :block, "x ? 1 :" => :other, "a + 1" => :none, "a )" => :none)
        ex = Meta.parse(text; raise = false)
        @test Base.incomplete_tag(ex) === tag
    end
end

@testset "whole texts" begin
    ex = Meta.parseall("a = 1\n\nb; c"; filename = "f.jl", lineno = 5)
    @test ex == Expr(:toplevel, LineNumberNode(5, Symbol("f.jl")), :(a = 1), LineNumberNode(7, Symbol("f.jl")),
                     Expr(:toplevel, :b, :c))
    @test include_string(@__MODULE__, "p = 3; p + 1") == 4
    @test include_string(x -> x isa Expr ? 7 : x, @__MODULE__, "1 + 1") == 7
    problem = try include_string(Main, "1\n\nnever_defined_here", "text.jl") catch e; e end
    @test problem isa LoadError && problem.line == 3 && problem.error isa UndefVarError
end

@testset "trees without lines, operators" begin
    @test Base.remove_linenums!(Meta.parse("begin\n a\n b\nend")) == Expr(:block, :a, :b)
    @test Base.operator_precedence(:+) < Base.operator_precedence(:*) < Base.operator_precedence(:^)
    @test Base.operator_precedence(:(=)) == 1 && Base.operator_precedence(:.) == 17 && Base.operator_precedence(:sin) == 0
    @test :(:=) === Symbol(":=") && :(≔) === Symbol("≔") && Meta.parse("(a) := b").head === :(:=)
    @test_throws "extra token" Meta.parse("1 + 2 3")
    @test Base.operator_associativity(:^) === :right && Base.operator_associativity(:-) === :left
end
