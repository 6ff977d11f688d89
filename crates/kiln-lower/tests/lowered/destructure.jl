# Two tuples of one length are taken apart without being made.
let
    a, b = b0, a0
end
#>   %0 Main.b0
#>   %1 Main.a0
#>   %2 a = %0
#>   %3 b = %1
#>   %4 Core.tuple(%0, %1)
#>   %5 return %4

# Anything else is iterated as far as there are names.
let (a, (b, c)) = t
end
#>   %0  Main.t
#>   %1  Base.indexed_iterate(%0, 1)
#>   %2  Core.getfield(%1, 1)
#>   %3  Core.getfield(%1, 2)
#>   %4  Base.indexed_iterate(%0, 2, %3)
#>   %5  Core.getfield(%4, 1)
#>   %6  a = %2
#>   %7  Base.indexed_iterate(%5, 1)
#>   %8  Core.getfield(%7, 1)
#>   %9  Core.getfield(%7, 2)
#>   %10 Base.indexed_iterate(%5, 2, %9)
#>   %11 Core.getfield(%10, 1)
#>   %12 b = %8
#>   %13 c = %11
#>   %14 return nothing

# The rest of the iterator goes to `...`.
let (a, b...) = t
end
#>   %0 Main.t
#>   %1 Base.indexed_iterate(%0, 1)
#>   %2 Core.getfield(%1, 1)
#>   %3 Core.getfield(%1, 2)
#>   %4 Base.rest(%0, %3)
#>   %5 a = %2
#>   %6 b = %4
#>   %7 return nothing

# In the middle, the last elements are split off.
let (a, b..., c) = t
end
#>   %0  Main.t
#>   %1  Base.indexed_iterate(%0, 1)
#>   %2  Core.getfield(%1, 1)
#>   %3  Core.getfield(%1, 2)
#>   %4  Base.split_rest(%0, 1, %3)
#>   %5  Core.getfield(%4, 1)
#>   %6  Core.getfield(%4, 2)
#>   %7  Base.indexed_iterate(%6, 1)
#>   %8  Core.getfield(%7, 1)
#>   %9  a = %2
#>   %10 b = %5
#>   %11 c = %8
#>   %12 return nothing

# A semicolon takes properties.
let (; p, q) = t
end
#>   %0 Main.t
#>   %1 Base.getproperty(%0, :p)
#>   %2 p = %1
#>   %3 Base.getproperty(%0, :q)
#>   %4 q = %3
#>   %5 return nothing

# A pattern among the arguments is taken apart when the body begins.
f((a, b), c) = a
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
#>     f(#arg#1, c)
#>       %0 #arg#1
#>       %1 Base.indexed_iterate(%0, 1)
#>       %2 Core.getfield(%1, 1)
#>       %3 Core.getfield(%1, 2)
#>       %4 Base.indexed_iterate(%0, 2, %3)
#>       %5 Core.getfield(%4, 1)
#>       %6 a = %2
#>       %7 b = %5
#>       %8 return a

for (k, v) in d
    k
end
#>   %0  Main.d
#>   %1  Base.iterate(%0)
#>   %2  @0 = %1
#>   %3  Core.===(@0, nothing)
#>   %4  goto %6 if not %3
#>   %5  goto %19
#>   %6  Core.getfield(@0, 1)
#>   %7  Core.getfield(@0, 2)
#>   %8  Base.indexed_iterate(%6, 1)
#>   %9  Core.getfield(%8, 1)
#>   %10 Core.getfield(%8, 2)
#>   %11 Base.indexed_iterate(%6, 2, %10)
#>   %12 Core.getfield(%11, 1)
#>   %13 k = %9
#>   %14 v = %12
#>   %15 k
#>   %16 Base.iterate(%0, %7)
#>   %17 @0 = %16
#>   %18 goto %3
#>   %19 return nothing

let (a..., b...) = t
end
#> error[invalid-assignment] at `b...`: multiple `...` on the left of an assignment
