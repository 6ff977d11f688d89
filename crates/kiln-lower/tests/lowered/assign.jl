# The value of an assignment is its right side, even if the left side converts.
function f(a, v)
    y = a.b = v
end
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.svec(%2, Any, Any)
#>   %4 Core.svec()
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return %0
#>   body 0:
#>     f(a, v)
#>       %0 v
#>       %1 Base.setproperty!(a, :b, %0)
#>       %2 y = %0
#>       %3 return %0

# The parts of an updated target are evaluated once.
h().b += 1
#>   %0 Main.h()
#>   %1 Base.getproperty(%0, :b)
#>   %2 Main.+(%1, 1)
#>   %3 Base.setproperty!(%0, :b, %2)
#>   %4 return %2

h()[g(), end] *= 2
#>   %0 Main.h()
#>   %1 Main.g()
#>   %2 Base.lastindex(%0, 2)
#>   %3 Base.getindex(%0, %1, %2)
#>   %4 Main.*(%3, 2)
#>   %5 Base.setindex!(%0, %4, %1, %2)
#>   %6 return %4

# The bitwise operators have updating forms too, and literal powers stay literal.
x ^= 2
#>   %0 Core.apply_type(Base.Val, 2)
#>   %1 %0()
#>   %2 Base.literal_pow(Main.^, Main.x, %1)
#>   %3 global Main.x
#>   %4 latest world
#>   %5 Core.setglobal!(Main, :x, %2)
#>   %6 return %2

# A dotted update writes through a view.
a[1:2] .+= b
#>   %0 Main.:(1, 2)
#>   %1 Base.dotview(Main.a, %0)
#>   %2 Base.without_repeats(%1)
#>   %3 Base.broadcasted(Main.+, %2, Main.b)
#>   %4 Base.materialize!(%1, %3)
#>   %5 return %4

1 = x
#> error[invalid-assignment] at `1`: invalid assignment location "1"

f(x)::Int += 1
#> error[invalid-assignment] at `f(x)`: invalid assignment location "f(x)"

[a, b] = c
#> error[invalid-assignment] at `[a, b]`: an array literal can not be assigned to
#> help: use `(a, b) = value` to destructure
