# A signature is the types of the function and its arguments, then the type variables.
f(x::Int, y) = x
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.svec(%2, Main.Int, Any)
#>   %4 Core.svec()
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return %0
#>   body 0:
#>     f(x, y)
#>       %0 return x

# Type variables may be bounded by each other; one that no type mentions is dropped from the method.
f(x::T, y::S) where {T <: Real, S <: AbstractArray{T}} = T
#>   %0  function Main.f
#>   %1  latest world
#>   %2  Core._typevar(:T, Union{}, Main.Real)
#>   %3  Core.apply_type(Main.AbstractArray, %2)
#>   %4  Core._typevar(:S, Union{}, %3)
#>   %5  Core.Typeof(Main.f)
#>   %6  Core.svec(%5, %2, %4)
#>   %7  Core.svec(%2, %4)
#>   %8  Core.svec(%6, %7)
#>   %9  method %8 body 0
#>   %10 latest world
#>   %11 return %0
#>   body 0:
#>     f(x, y) where {T, S}
#>       %0 return $T

# Default arguments are methods that call on.
f(a, b = a, c::Int = 2) = (a, b, c)
#>   %0  function Main.f
#>   %1  latest world
#>   %2  Core.Typeof(Main.f)
#>   %3  Core.svec(%2, Any)
#>   %4  Core.svec()
#>   %5  Core.svec(%3, %4)
#>   %6  method %5 body 0
#>   %7  Core.Typeof(Main.f)
#>   %8  Core.svec(%7, Any, Any)
#>   %9  Core.svec()
#>   %10 Core.svec(%8, %9)
#>   %11 method %10 body 1
#>   %12 Core.Typeof(Main.f)
#>   %13 Core.svec(%12, Any, Any, Main.Int)
#>   %14 Core.svec()
#>   %15 Core.svec(%13, %14)
#>   %16 method %15 body 2
#>   %17 latest world
#>   %18 return %0
#>   body 0:
#>     f(a)
#>       %0 b = a
#>       %1 c = 2
#>       %2 #self#(a, b, c)
#>       %3 return %2
#>   body 1:
#>     f(a, b)
#>       %0 c = 2
#>       %1 #self#(a, b, c)
#>       %2 return %1
#>   body 2:
#>     f(a, b, c)
#>       %0 Core.tuple(a, b, c)
#>       %1 return %0

f(x...) = x
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.apply_type(Core.Vararg, Any)
#>   %4 Core.svec(%2, %3)
#>   %5 Core.svec()
#>   %6 Core.svec(%4, %5)
#>   %7 method %6 body 0
#>   %8 latest world
#>   %9 return %0
#>   body 0:
#>     f(x...)
#>       %0 return x

f(x::Int...) = x
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.apply_type(Core.Vararg, Main.Int)
#>   %4 Core.svec(%2, %3)
#>   %5 Core.svec()
#>   %6 Core.svec(%4, %5)
#>   %7 method %6 body 0
#>   %8 latest world
#>   %9 return %0
#>   body 0:
#>     f(x...)
#>       %0 return x

# A callable object, and a constructor for some parameters.
(p::P)(x) = p.a + x
#>   %0 Core.svec(Main.P, Any)
#>   %1 Core.svec()
#>   %2 Core.svec(%0, %1)
#>   %3 method %2 body 0
#>   %4 latest world
#>   %5 return nothing
#>   body 0:
#>     P(x)
#>       %0 Base.getproperty(p, :a)
#>       %1 Main.+(%0, x)
#>       %2 return %1

P{T}(x) where {T} = x
#>   %0 Core._typevar(:T, Union{}, Any)
#>   %1 Core.apply_type(Main.P, %0)
#>   %2 Core.Typeof(%1)
#>   %3 Core.svec(%2, Any)
#>   %4 Core.svec(%0)
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return nothing
#>   body 0:
#>     P(x) where {T}
#>       %0 return x

Base.show(io::IO, x::P) = nothing
#>   %0 Base.getproperty(Main.Base, :show)
#>   %1 Core.Typeof(%0)
#>   %2 Core.svec(%1, Main.IO, Main.P)
#>   %3 Core.svec()
#>   %4 Core.svec(%2, %3)
#>   %5 method %4 body 0
#>   %6 latest world
#>   %7 return nothing
#>   body 0:
#>     show(io, x)
#>       %0 return Main.nothing

function f end
#>   %0 declare Main.f
#>   %1 function Main.f
#>   %2 latest world
#>   %3 return %1

# The declared type of the result converts at each `return`.
function f(x)::Int
    x && return 1
    x
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
#>       %0  Main.Int
#>       %1  goto %10 if not x
#>       %2  @2 = 1
#>       %3  Core.isa(@2, %0)
#>       %4  goto %6 if not %3
#>       %5  goto %9
#>       %6  Base.convert(%0, @2)
#>       %7  Core.typeassert(%6, %0)
#>       %8  @2 = %7
#>       %9  return @2
#>       %10 @3 = x
#>       %11 Core.isa(@3, %0)
#>       %12 goto %14 if not %11
#>       %13 goto %17
#>       %14 Base.convert(%0, @3)
#>       %15 Core.typeassert(%14, %0)
#>       %16 @3 = %15
#>       %17 return @3

# A macro is a method of `@m` that is told where it is called.
macro m(x)
    x
end
#>   %0 function Main.@m
#>   %1 latest world
#>   %2 Core.Typeof(Main.@m)
#>   %3 Core.svec(%2, Core.LineNumberNode, Core.Module, Any)
#>   %4 Core.svec()
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return %0
#>   body 0:
#>     @m(__source__, __module__, x)
#>       %0 return x

# A pattern, an unnamed argument, `_`.
f((a, b), ::Int, _) = a
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.svec(%2, Any, Main.Int, Any)
#>   %4 Core.svec()
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return %0
#>   body 0:
#>     f(#arg#1, #unused#@2, #unused#@3)
#>       %0 #arg#1
#>       %1 Base.indexed_iterate(%0, 1)
#>       %2 Core.getfield(%1, 1)
#>       %3 Core.getfield(%1, 2)
#>       %4 Base.indexed_iterate(%0, 2, %3)
#>       %5 Core.getfield(%4, 1)
#>       %6 a = %2
#>       %7 b = %5
#>       %8 return a

f(x, x) = 1
#> error[duplicate-argument] at `x`: function argument name not unique: "x"

f(x..., y) = 1
#> error[invalid-argument] at `x...`: `...` on an argument that is not the last

f(x = 1, y) = 1
#> error[invalid-argument] at `y`: an argument without a default follows one that has a default

1(x) = 2
#> error[invalid-argument] at `1`: "1" is not a valid function argument name
