# What a macro's result assigns is a variable of its own; other names are globals of the macro's module; what is
# escaped belongs to the caller.
let t = 1
    @twice t
end
#>   %0 t = 1
#>   %1 #1#t = t
#>   %2 Base.+(#1#t, #1#t)
#>   %3 return %2

# An argument that is not escaped is looked up in the macro's module.
@bare x
#>   %0 return Base.x

# A macro call in a result is expanded in the macro's module; what is escaped goes through both expansions.
let t = 1
    @outer t
end
#>   %0 t = 1
#>   %1 #1#t = t
#>   %2 Base.+(#1#t, #1#t)
#>   %3 return %2

# Loop variables are variables of the result.
@loop i
#>   %0  Base.:(1, Base.n)
#>   %1  Base.iterate(%0)
#>   %2  @0 = %1
#>   %3  Core.===(@0, nothing)
#>   %4  goto %6 if not %3
#>   %5  goto %13
#>   %6  Core.getfield(@0, 1)
#>   %7  Core.getfield(@0, 2)
#>   %8  #1#i = %6
#>   %9  Base.println(#1#i, Main.i)
#>   %10 Base.iterate(%0, %7)
#>   %11 @0 = %10
#>   %12 goto %3
#>   %13 return nothing

# Functions that a result defines keep their keywords' names, whatever their arguments are called.
@define g
#>   %0  function Main.#g#098359329647
#>   %1  latest world
#>   %2  function Main.g
#>   %3  latest world
#>   %4  Core.Typeof(Main.#g#098359329647)
#>   %5  Core.Typeof(Main.g)
#>   %6  Core.svec(%4, Any, %5, Any)
#>   %7  Core.svec()
#>   %8  Core.svec(%6, %7)
#>   %9  method %8 body 0
#>   %10 latest world
#>   %11 function Main.g
#>   %12 latest world
#>   %13 Core.Typeof(Main.g)
#>   %14 Core.svec(%13, Any)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 1
#>   %18 Core.typeof(Core.kwcall)
#>   %19 Core.Typeof(Main.g)
#>   %20 Core.svec(%18, Core.NamedTuple, %19, Any)
#>   %21 Core.svec()
#>   %22 Core.svec(%20, %21)
#>   %23 method %22 body 2
#>   %24 latest world
#>   %25 return %11
#>   body 0:
#>     #g#098359329647(k, #self#, #2#x) where {#1#T}
#>       %0 Base.+(#2#x, k)
#>       %1 #3#y = %0
#>       %2 Core.tuple(:x, :k)
#>       %3 Core.apply_type(Core.NamedTuple, %2)
#>       %4 Core.tuple(#2#x, #3#y)
#>       %5 %3(%4)
#>       %6 Core.kwcall(%5, Base.f)
#>       %7 return %6
#>   body 1:
#>     g(#2#x) where {#1#T}
#>       %0 k = 1
#>       %1 Main.#g#098359329647(k, #self#, #2#x)
#>       %2 return %1
#>   body 2:
#>     kwcall(#kw#, #self#, #2#x) where {#1#T}
#>       %0  Core.isdefined(#kw#, :k)
#>       %1  goto %5 if not %0
#>       %2  Core.getfield(#kw#, :k)
#>       %3  @4 = %2
#>       %4  goto %6
#>       %5  @4 = 1
#>       %6  @4
#>       %7  k = %6
#>       %8  Core.tuple(:k)
#>       %9  Core.apply_type(Core.NamedTuple, %8)
#>       %10 Base.structdiff(#kw#, %9)
#>       %11 Base.isempty(%10)
#>       %12 goto %14 if not %11
#>       %13 goto %15
#>       %14 Base.kwerr(#kw#, #self#, #2#x)
#>       %15 Main.#g#098359329647(k, #self#, #2#x)
#>       %16 return %15

# Arguments of anonymous functions are renamed.
@lambda x
#>   %0  declare Main.#1#481334989761
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#1#481334989761"), %1, %2, %3, false, 0)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec()
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#1#481334989761 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#1#481334989761, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 new(Main.#1#481334989761)
#>   %16 return %15
#>   body 0:
#>     #anonymous(#1#x)
#>       %0 Base.+(#1#x, Main.x)
#>       %1 return %0

# Fields and types keep their names.
@point 0
#>   %0  Core.svec()
#>   %1  Core.svec(:x)
#>   %2  Core.svec()
#>   %3  Core._structtype(Main, :P, %0, %1, %2, false, 1)
#>   %4  P = %3
#>   %5  Core._setsuper!(%3, Any)
#>   %6  @1 = false
#>   %7  isdefined Main.P
#>   %8  goto %14 if not %7
#>   %9  Core._equiv_typedef(Main.P, %3)
#>   %10 goto %14 if not %9
#>   %11 @1 = Main.P
#>   %12 P = Main.P
#>   %13 goto %14
#>   %14 @1
#>   %15 Core.svec(Base.Int)
#>   %16 Core._typebody!(%14, %3, %15)
#>   %17 Core.===(%16, @1)
#>   %18 goto %20 if not %17
#>   %19 goto %22
#>   %20 const Main.P = %16
#>   %21 latest world
#>   %22 latest world
#>   %23 Core.apply_type(Core.Type, Main.P)
#>   %24 Core.svec(%23, Base.Int)
#>   %25 Core.svec()
#>   %26 Core.svec(%24, %25)
#>   %27 method %26 body 0
#>   %28 latest world
#>   %29 Core.apply_type(Core.Type, Main.P)
#>   %30 Core.svec(%29, Any)
#>   %31 Core.svec()
#>   %32 Core.svec(%30, %31)
#>   %33 method %32 body 1
#>   %34 latest world
#>   %35 Main.P(1)
#>   %36 Base.getproperty(%35, :x)
#>   %37 return %36
#>   body 0:
#>     P(x)
#>       %0 new(Main.P, x)
#>       %1 return %0
#>   body 1:
#>     P(x)
#>       %0 Core.fieldtype(Main.P, 1)
#>       %1 @2 = x
#>       %2 Core.isa(@2, %0)
#>       %3 goto %5 if not %2
#>       %4 goto %7
#>       %5 Base.convert(%0, @2)
#>       %6 @2 = %5
#>       %7 new(Main.P, @2)
#>       %8 return %7

# Quoted code is data, except for what is interpolated.
@quoted y
#>   %0 Core._expr(:call, :+, :x, Main.y)
#>   %1 return %0

# A global declared in a result is one of the macro's module.
@global_x 1
#>   %0 declare Main.x
#>   %1 latest world
#>   %2 global Main.x
#>   %3 latest world
#>   %4 Core.setglobal!(Main, :x, 1)
#>   %5 global Main.#1#y
#>   %6 latest world
#>   %7 Core.setglobal!(Main, Symbol("#1#y"), Base.x)
#>   %8 return Base.x

# The names of a named tuple are labels.
@let_x x
#>   %0 Main.x
#>   %1 #1#x = %0
#>   %2 Core.tuple(:x, :z)
#>   %3 Core.apply_type(Core.NamedTuple, %2)
#>   %4 Core.tuple(#1#x, Base.z)
#>   %5 %3(%4)
#>   %6 return %5

# What the caller assigns in an argument is the caller's.
function f()
    @same x = 1
    x
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
#>       %0 x = 1
#>       %1 return x

(@__MODULE__, @__LINE__)
#>   %0 Core.tuple(Main, 2)
#>   %1 return %0
