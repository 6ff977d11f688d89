# A splat goes through `Core._apply_iterate`; neighbouring plain arguments share a tuple.
f(a, b, c..., d)
#>   %0 Core.tuple(Main.a, Main.b)
#>   %1 Core.tuple(Main.d)
#>   %2 Core._apply_iterate(Base.iterate, Main.f, %0, Main.c, %1)
#>   %3 return %2

# A call written `include` raises the world of the code after it.
if x
    include("file.jl")
    f()
end
#>   %0 goto %5 if not Main.x
#>   %1 Main.include("file.jl")
#>   %2 latest world
#>   %3 Main.f()
#>   %4 return %3
#>   %5 return nothing

# A literal exponent is part of the type of the call.
x^2
#>   %0 Core.apply_type(Base.Val, 2)
#>   %1 %0()
#>   %2 Base.literal_pow(Main.^, Main.x, %1)
#>   %3 return %2

# So it is not if it is a variable.
x^n
#>   %0 Main.^(Main.x, Main.n)
#>   %1 return %0

# `do` passes a function first.
f(a) do x
    x
end
#>   %0  declare Main.#1#099436051889
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#1#099436051889"), %1, %2, %3, false, 0)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec()
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#1#099436051889 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#1#099436051889, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 new(Main.#1#099436051889)
#>   %16 Main.f(%15, Main.a)
#>   %17 return %16
#>   body 0:
#>     #anonymous(x)
#>       %0 return x

# Property access is a call.
a.b.c
#>   %0 Base.getproperty(Main.a, :b)
#>   %1 Base.getproperty(%0, :c)
#>   %2 return %1

# Operands of a chain are evaluated once, the later ones only if they matter.
a < g() <= c
#>   %0 Main.g()
#>   %1 Main.<(Main.a, %0)
#>   %2 goto %5 if not %1
#>   %3 Main.<=(%0, Main.c)
#>   %4 return %3
#>   %5 return false

# An argument that a later one assigns is read first.
function f(x)
    g(x, (x = 2))
end
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.svec(%2, Any)
#>   %4 Core.svec()
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return %0
#>   body 0:
#>     f(x)
#>       %0 Core.tuple(:x)
#>       %1 Core.apply_type(Core.NamedTuple, %0)
#>       %2 Core.tuple(2)
#>       %3 %1(%2)
#>       %4 Core.kwcall(%3, Main.g, x)
#>       %5 return %4

# The index `end` knows its dimension; behind a splat the dimension is counted.
a[end]
#>   %0 Base.lastindex(Main.a)
#>   %1 Base.getindex(Main.a, %0)
#>   %2 return %1

a[begin, end]
#>   %0 Base.firstindex(Main.a, 1)
#>   %1 Base.lastindex(Main.a, 2)
#>   %2 Base.getindex(Main.a, %0, %1)
#>   %3 return %2

a[i..., end]
#>   %0 Base.length(Main.i)
#>   %1 Base.+(1, %0)
#>   %2 Base.lastindex(Main.a, %1)
#>   %3 Core.tuple(Main.a)
#>   %4 Core.tuple(%2)
#>   %5 Core._apply_iterate(Base.iterate, Base.getindex, %3, Main.i, %4)
#>   %6 return %5

# An array that is computed is computed once.
g()[end]
#>   %0 Main.g()
#>   %1 Base.lastindex(%0)
#>   %2 Base.getindex(%0, %1)
#>   %3 return %2

"a$(x)b$y"
#>   %0 Base.string("a", Main.x, "b", Main.y)
#>   %1 return %0

[1 2; 3 4]
#>   %0 Core.tuple(2, 2)
#>   %1 Base.hvcat(%0, 1, 2, 3, 4)
#>   %2 return %1

T[x for x in v]
#>   %0 Base.Generator(Base.identity, Main.v)
#>   %1 Base.collect(Main.T, %0)
#>   %2 return %1

ccall(:time, Cint, ())
#>   %0 Base.check_foreign_types(:ccall, Main.Cint)
#>   %1 Core.apply_type(Core.Tuple)
#>   %2 Base.foreigncall(:time, nothing, Main.Cint, %1)
#>   %3 return %2

ccall((:atan2, "libm"), Float64, (Float64...,), x, y)
#> error[malformed-expression] at `ccall((:atan2, "libm"), Float64, (Float64...,), x, y)`: C ABI prohibits vararg without one required argument

ccall("llvm.sqrt.f64", llvmcall, Float64, (Float64,), x)
#>   %0 Core.apply_type(Core.Tuple, Main.Float64)
#>   %1 Base.cconvert(Main.Float64, Main.x)
#>   %2 Base.unsafe_convert(Main.Float64, %1)
#>   %3 Base.llvmcall(Symbol("llvm.sqrt.f64"), Main.Float64, %0, %2)
#>   %4 return %3

ccall("extern __nv_sinf", llvmcall, Float32, (Float32,), x)
#>   %0 Core.apply_type(Core.Tuple, Main.Float32)
#>   %1 Base.cconvert(Main.Float32, Main.x)
#>   %2 Base.unsafe_convert(Main.Float32, %1)
#>   %3 Base.llvmcall(Symbol("extern __nv_sinf"), Main.Float32, %0, %2)
#>   %4 return %3

ccall(pointer, cdecl, Cint, ())
#>   %0 Base.check_foreign_types(:ccall, Main.Cint)
#>   %1 Base.foreign_name(Main.pointer)
#>   %2 Core.apply_type(Core.Tuple)
#>   %3 Base.foreigncall(%1, nothing, Main.Cint, %2)
#>   %4 return %3

ccall(:abs, Cint, (Cint,))
#> error[malformed-expression] at `ccall(:abs, Cint, (Cint,))`: more types than arguments for ccall

ccall(:abs, Cint, Cint, x)
#> error[malformed-expression] at `ccall(:abs, Cint, Cint, x)`: ccall argument types must be a tuple; try "(T,)"

x...
#> error[splat-outside-call] at `x...`: "..." expression outside call
#> help: splatting works in calls, tuples and array literals

end_ = [end]
#> error[syntax] at ``: invalid syntax
