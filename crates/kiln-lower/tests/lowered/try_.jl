# Leaving a `try` by any way ends it first.
function f()
    try
        return g()
    catch e
        h(e)
    end
end
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.svec(%2)
#>   %4 Core.svec()
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return %0
#>   body 0:
#>     f()
#>       %0 enter %4
#>       %1 Main.g()
#>       %2 leave %0
#>       %3 return %1
#>       %4 the exception
#>       %5 e = %4
#>       %6 Main.h(e)
#>       %7 @1 = %6
#>       %8 pop exception %0
#>       %9 return @1

# `finally` is there once; a tag says where to go on: 0 behind it, -1 throws again, others leave.
function f(n)
    while n
        try
            n && break
            return 1
        finally
            g()
        end
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
#>       %0  goto %23 if not n
#>       %1  enter %10
#>       %2  goto %6 if not n
#>       %3  leave %1
#>       %4  @2 = 1
#>       %5  goto %11
#>       %6  leave %1
#>       %7  @3 = 1
#>       %8  @2 = 2
#>       %9  goto %11
#>       %10 @2 = -1
#>       %11 Main.g()
#>       %12 Core.===(@2, -1)
#>       %13 goto %16 if not %12
#>       %14 Base.rethrow()
#>       %15 return nothing
#>       %16 Core.===(@2, 1)
#>       %17 goto %19 if not %16
#>       %18 goto %23
#>       %19 Core.===(@2, 2)
#>       %20 goto %22 if not %19
#>       %21 return @3
#>       %22 goto %0
#>       %23 return nothing

# `else` runs only if nothing was thrown, and is not protected.
try
    a()
catch
    b()
else
    c()
end
#>   %0 enter %6
#>   %1 Main.a()
#>   %2 leave %0
#>   %3 Main.c()
#>   %4 @0 = %3
#>   %5 goto %9
#>   %6 Main.b()
#>   %7 @0 = %6
#>   %8 pop exception %0
#>   %9 return @0

# A handler left by `return` drops the exception.
function f()
    try
        g()
    catch
        return 2
    end
    3
end
#>   %0 function Main.f
#>   %1 latest world
#>   %2 Core.Typeof(Main.f)
#>   %3 Core.svec(%2)
#>   %4 Core.svec()
#>   %5 Core.svec(%3, %4)
#>   %6 method %5 body 0
#>   %7 latest world
#>   %8 return %0
#>   body 0:
#>     f()
#>       %0 enter %4
#>       %1 Main.g()
#>       %2 leave %0
#>       %3 goto %6
#>       %4 pop exception %0
#>       %5 return 2
#>       %6 return 3
