# `Meta.lower` answers a wrong expression with `Expr(:error, message)`, in the words that Julia uses.
using Test

lowered(text) = Meta.lower(Main, Meta.parse(text))
says(text, message) = lowered(text) == Expr(:error, message)

# Named tuples.
@test says("(x = 1, 2)", "invalid named tuple element \"2\"")
@test says("(; g(y))", "invalid named tuple element \"g(y)\"")
@test says("(; 2 = 1)", "invalid named tuple field name \"2\"")
@test says("(1,; 2)", "unexpected semicolon in tuple")

# Foreign calls.
@test says("ccall(:f, Int, (Int,))", "more types than arguments for ccall")
@test says("ccall(:f, Int, (), 1)", "more arguments than types for ccall")
@test says("ccall(:f, Int, (Int...,), 1)", "C ABI prohibits vararg without one required argument")
@test says("ccall(:f, Int, (Int, Int..., Int), 1, 2, 3)", "only the trailing ccall argument type should have \"...\"")
@test says("h(lib) = ccall((:f, lib), Int, ())", "ccall function name and library expression cannot reference local variables")

# Names of functions, arguments, constants.
@test says("x .+ y = 1", "invalid function name \".+\"")
@test says("(.+)(x, y) = 1", "invalid function name \"(.+)\"")
@test says("h(a:Int...) = 1", "\"a:Int\" is not a valid function argument name")
@test says("h(y = (global z)) = y", "misplaced \"global\" declaration")
@test lowered("h((; a, b::Int)) = a").head === :error
@test Meta.lower(Main, Expr(:const, Expr(:global, :q))) == Expr(:error, "expected assignment after \"const\"")
@test says("let; const c = 1; end", "unsupported `const` declaration on local variable")
@test says("let; local d; const global d = 1; end", "variable \"d\" declared both local and global")

# Labels of an expansion are its own; no jump leaves a `finally`.
macro jump()
    :(@goto out)
end
@test occursin(r"^label \"#\d+#out\" referenced but not defined$", Meta.lower(@__MODULE__, :(function j() @jump; @label out end)).args[1])
@test startswith(Meta.lower(Main, :(function j() try @goto a finally end; @label a end)).args[1],
    "goto from a try/finally block is not permitted")

# Code without an effect is answered as it is; undefined parts and too many arguments are refused.
@test Meta.@lower(begin 5 end) === 5
hole = Expr(:call)
resize!(hole.args, 1)
@test Meta.lower(Main, hole) == Expr(:error, "undefined reference in AST")
@test_throws ErrorException("syntax: expression too large") eval(Expr(:vect, fill(1, 600_000)...))

# The types of a foreign call are evaluated where its method is defined.
@test_throws ErrorException("could not evaluate ccall argument type (it might depend on a local variable)") @eval fa(x) = ccall(:f, Int, (Ptr{typeof(x)},), x)
@test_throws UndefVarError @eval fb(x) = ccall(:f, NoSuchType, (Int,), x)
@test_throws ErrorException("ccall method definition: return type doesn't correspond to a C type") @eval fc(::T) where {T} = ccall(:f, Some{T}, ())
@test_throws ErrorException("ccall method definition: Vararg not allowed for argument list") @eval if false; ccall(:f, Int, (Vararg{Int},), 1); end
@test !isdefined(@__MODULE__, :fa) || isempty(methods(fa))

# Texts that are no UTF-8, and statements that an error continues.
bad = Meta.parseall("x\n#\xf5b\ny")
@test bad.args[2] === :x && bad.args[end].head === :error && bad.args[end - 1].line == 2
@test Base.incomplete_tag(Meta.parse("mutable struct"; raise = false)) === :other
@test `a\
    b` == `ab`
