# Reflection on methods and on results of inference: instances, their results and worlds, and entries of the cache.
using Test

leaf(::Int) = 1
middle(c) = leaf(c[1])
fixed(x) = leaf(x)
other(x) = 1.0
instance(f, T) = only(i for i in Base.specializations(which(f, T)) if i.specTypes == Base.signature_type(f, T))

middle(Any[1])
fixed(1)
const middle_instance = instance(middle, (Vector{Any},))
const fixed_instance = instance(fixed, (Int,))
@test isdefined(middle_instance, :cache)
const first_result = middle_instance.cache
const fixed_result = fixed_instance.cache
@test first_result isa Core.CodeInstance
@test first_result.def === middle_instance
@test first_result.rettype === Int
@test first_result.max_world == typemax(UInt)
@test !isdefined(first_result, :next)

leaf(::String) = "one"
@test middle_instance.cache !== first_result
@test middle_instance.cache.next === first_result
@test first_result.max_world < Base.get_world_counter()
@test fixed_instance.cache === fixed_result

@test invoke(fixed, fixed_result, 5) == 1
@test_throws TypeError invoke(fixed, fixed_result, "five")
leaf(::Int) = 2
@test_throws ErrorException invoke(fixed, fixed_result, 5)

# The order of methods that replaced one another outlives their removal.
f() = 1
const f1 = which(f, ())
f() = 2
f() = 3
const f3 = which(f, ())
Base.delete_method(f3)
const f2 = which(f, ())
@test f() == 2
@test Base.morespecific(f3, f2) && Base.morespecific(f2, f1) && !Base.morespecific(f2, f3)

# A new global is there for the code behind the declaration.
let
    global tan
    @test !@isdefined(tan)
    tan() = 3
    @test tan() == 3
end

# Entries of the cache say how long a call goes where it went.
target(x) = 1
entry = ccall(:jl_mt_find_cache_entry, Any, (Any, Any, UInt), Core.methodtable.cache, Tuple{typeof(target), Int}, Base.get_world_counter())
@test entry.max_world == typemax(UInt)
world = Base.get_world_counter()
target(x::Int) = 2
@test entry.max_world == world

# A method of a later world is named as such.
later() = 1
early = Base.get_world_counter()
newest(x) = 1
text = try
    Base.invoke_in_world(early, () -> 1)
catch e
    sprint(showerror, e)
end
@test occursin("too new", text)

module Broken end
failing = try
    include_string(Main, "module Fails; __init__() = error(\"no\"); end")
catch e
    e isa LoadError ? e.error : e
end
@test failing isa InitError
@test failing.mod === :Fails

# Pointers of functions, which `ccall` follows.
add(x, y) = x + y
const add_pointer = @cfunction(add, Int, (Int, Int))
@test add_pointer isa Ptr{Cvoid}
@test ccall(add_pointer, Int, (Int, Int), 1, 2) == 3
@test_throws UndefRefError ccall(C_NULL, Int, ())
