# Outside any scope an assignment makes a global, declared before the statement.
x = 1
#>   %0 global Main.x
#>   %1 latest world
#>   %2 Core.setglobal!(Main, :x, 1)
#>   %3 return 1

# In a file a loop at top level has its own variables, whatever globals exist.
while c
    x = 1
end
#>   %0 goto %3 if not Main.c
#>   %1 x = 1
#>   %2 goto %0
#>   %3 return nothing

# `global` reaches out of the loop.
while c
    global x = 1
end
#>   %0 global Main.x
#>   %1 latest world
#>   %2 goto %7 if not Main.c
#>   %3 declare Main.x
#>   %4 latest world
#>   %5 Core.setglobal!(Main, :x, 1)
#>   %6 goto %2
#>   %7 return nothing

# `let` evaluates each value where only the earlier variables are visible: the second `x` is the first one's value.
let x = 1, x = x + 1
    x
end
#>   %0 x@0 = 1
#>   %1 Main.+(x@0, 1)
#>   %2 x@1 = %1
#>   %3 return x@1

# Assigning a variable of a surrounding function changes that variable; `local` makes another.
function f(x)
    let
        x = 2
        local y = 3
    end
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
#>       %0 x = 2
#>       %1 y = 3
#>       %2 return x

# A declared type converts at each assignment.
function f(v)
    x::Int = v
    x = v
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
#>     f(v)
#>       %0  v
#>       %1  @2 = %0
#>       %2  Core.isa(@2, Main.Int)
#>       %3  goto %5 if not %2
#>       %4  goto %8
#>       %5  Base.convert(Main.Int, @2)
#>       %6  Core.typeassert(%5, Main.Int)
#>       %7  @2 = %6
#>       %8  x = @2
#>       %9  @4 = v
#>       %10 Core.isa(@4, Main.Int)
#>       %11 goto %13 if not %10
#>       %12 goto %16
#>       %13 Base.convert(Main.Int, @4)
#>       %14 Core.typeassert(%13, Main.Int)
#>       %15 @4 = %14
#>       %16 x = @4
#>       %17 return x

# A constant is declared with its value.
const a, b = p
#>   %0  Main.p
#>   %1  Base.indexed_iterate(%0, 1)
#>   %2  Core.getfield(%1, 1)
#>   %3  Core.getfield(%1, 2)
#>   %4  Base.indexed_iterate(%0, 2, %3)
#>   %5  Core.getfield(%4, 1)
#>   %6  const Main.a = %2
#>   %7  latest world
#>   %8  const Main.b = %5
#>   %9  latest world
#>   %10 return %0

# A variable of a loop's body is undefined anew in every iteration if it may be read before it is assigned.
function f(n)
    while n
        local x
        g(x)
        x = 1
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
#>       %0 goto %5 if not n
#>       %1 newvar x
#>       %2 Main.g(x)
#>       %3 x = 1
#>       %4 goto %0
#>       %5 return nothing

const function_local = let; const y = 1; end
#> error[const-local] at `const y = 1`: unsupported `const` declaration on local variable

___ + 1
#> error[underscore-read] at `___`: all-underscore identifiers are write-only and their values cannot be used in expressions
#> help: give the variable a name to read its value
