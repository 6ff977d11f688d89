# Conditions of `&&` and `||` are jumps; nothing is stored.
function f(a, b, c)
    if a && (b || c)
        1
    else
        2
    end
end
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.svec(%2, Any, Any, Any)
#>   %4 Core.svec()
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return %0
#>   body 0:
#>     f(a, b, c)
#>       %0 goto %5 if not a
#>       %1 goto %3 if not b
#>       %2 goto %4
#>       %3 goto %5 if not c
#>       %4 return 1
#>       %5 return 2

# As a value, the last part is the result.
function f(a, b)
    a || b
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
#>     f(a, b)
#>       %0 goto %2 if not a
#>       %1 goto %3
#>       %2 return b
#>       %3 return true

x = c ? 1 : 2
#>   %0 global Main.x
#>   %1 latest world
#>   %2 goto %5 if not Main.c
#>   %3 @0 = 1
#>   %4 goto %6
#>   %5 @0 = 2
#>   %6 Core.setglobal!(Main, :x, @0)
#>   %7 return @0

# `continue` in a `for` still advances; `break` of several loops leaves them all.
for i in a, j in b
    c && continue
    d && break
end
#>   %0  Main.a
#>   %1  Base.iterate(%0)
#>   %2  @0 = %1
#>   %3  Core.===(@0, nothing)
#>   %4  goto %6 if not %3
#>   %5  goto %30
#>   %6  Core.getfield(@0, 1)
#>   %7  Core.getfield(@0, 2)
#>   %8  i@1 = %6
#>   %9  Main.b
#>   %10 Base.iterate(%9)
#>   %11 @2 = %10
#>   %12 Core.===(@2, nothing)
#>   %13 goto %15 if not %12
#>   %14 goto %27
#>   %15 Core.getfield(@2, 1)
#>   %16 Core.getfield(@2, 2)
#>   %17 j = %15
#>   %18 i@1
#>   %19 i@4 = %18
#>   %20 goto %22 if not Main.c
#>   %21 goto %24
#>   %22 goto %24 if not Main.d
#>   %23 goto %30
#>   %24 Base.iterate(%9, %16)
#>   %25 @2 = %24
#>   %26 goto %12
#>   %27 Base.iterate(%0, %7)
#>   %28 @0 = %27
#>   %29 goto %3
#>   %30 return nothing

# A `while` is tested first, and has no value.
function f(n)
    while n > 0
        n -= 1
    end
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
#>     f(n)
#>       %0 Main.>(n, 0)
#>       %1 goto %5 if not %0
#>       %2 Main.-(n, 1)
#>       %3 n = %2
#>       %4 goto %0
#>       %5 return nothing

# Labels are local to the function.
function f(n)
    n += 1
    n
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
#>     f(n)
#>       %0 Main.+(n, 1)
#>       %1 n = %0
#>       %2 return n

break
#> error[break-outside-loop] at `break`: break or continue outside loop

function f()
    continue
end
#> error[break-outside-loop] at `continue`: break or continue outside loop
