# A closure is an instance of a struct with a field for each captured variable; the fields' types are parameters.
function f(n)
    x -> x + n
end
#>   %0  Core._typevar(Symbol("#n"), Union{}, Any)
#>   %1  Core.svec(%0)
#>   %2  Core.svec(:n)
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#2#1"), %1, %2, %3, false, 1)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec(%0)
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#2#1 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#2#1, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 function Main.f
#>   %16 latest world
#>   %17 Core.Typeof(Main.f)
#>   %18 Core.svec(%17, Any)
#>   %19 Core.svec()
#>   %20 Core.svec(%18, %19)
#>   %21 method %20 body 1
#>   %22 latest world
#>   %23 return %15
#>   body 0:
#>     #anonymous(x)
#>       %0 Core.getfield(#self#, :n)
#>       %1 Main.+(x, %0)
#>       %2 return %1
#>   body 1:
#>     f(n)
#>       %0 Core._typeof_captured_variable(n)
#>       %1 Core.apply_type(Main.#2#1, %0)
#>       %2 new(%1, n)
#>       %3 return %2

# A variable assigned again lives in a box.
function counter()
    n = 0
    () -> (n += 1)
end
#>   %0  Core.svec()
#>   %1  Core.svec(:n)
#>   %2  Core.svec()
#>   %3  Core._structtype(Main, Symbol("#2#1"), %0, %1, %2, false, 1)
#>   %4  Core._setsuper!(%3, Core.Function)
#>   %5  Core.svec(Core.Box)
#>   %6  Core._typebody!(%3, %5)
#>   %7  const Main.#2#1 = %3
#>   %8  latest world
#>   %9  Core.svec(Main.#2#1)
#>   %10 Core.svec()
#>   %11 Core.svec(%9, %10)
#>   %12 method %11 body 0
#>   %13 latest world
#>   %14 function Main.counter
#>   %15 latest world
#>   %16 Core.Typeof(Main.counter)
#>   %17 Core.svec(%16)
#>   %18 Core.svec()
#>   %19 Core.svec(%17, %18)
#>   %20 method %19 body 1
#>   %21 latest world
#>   %22 return %14
#>   body 0:
#>     #anonymous()
#>       %0  Core.getfield(#self#, :n)
#>       %1  Core.isdefined(%0, :contents)
#>       %2  goto %4 if not %1
#>       %3  goto %6
#>       %4  newvar n
#>       %5  n
#>       %6  Core.getfield(%0, :contents)
#>       %7  Main.+(%6, 1)
#>       %8  Core.getfield(#self#, :n)
#>       %9  Core.setfield!(%8, :contents, %7)
#>       %10 return %7
#>   body 1:
#>     counter()
#>       %0 Core.Box()
#>       %1 n = %0
#>       %2 Core.setfield!(n, :contents, 0)
#>       %3 new(Main.#2#1, n)
#>       %4 return %3

# A closure made before its variable is assigned needs a box too.
function early()
    g = () -> n
    n = 1
    g
end
#>   %0  Core.svec()
#>   %1  Core.svec(:n)
#>   %2  Core.svec()
#>   %3  Core._structtype(Main, Symbol("#2#1"), %0, %1, %2, false, 1)
#>   %4  Core._setsuper!(%3, Core.Function)
#>   %5  Core.svec(Core.Box)
#>   %6  Core._typebody!(%3, %5)
#>   %7  const Main.#2#1 = %3
#>   %8  latest world
#>   %9  Core.svec(Main.#2#1)
#>   %10 Core.svec()
#>   %11 Core.svec(%9, %10)
#>   %12 method %11 body 0
#>   %13 latest world
#>   %14 function Main.early
#>   %15 latest world
#>   %16 Core.Typeof(Main.early)
#>   %17 Core.svec(%16)
#>   %18 Core.svec()
#>   %19 Core.svec(%17, %18)
#>   %20 method %19 body 1
#>   %21 latest world
#>   %22 return %14
#>   body 0:
#>     #anonymous()
#>       %0 Core.getfield(#self#, :n)
#>       %1 Core.isdefined(%0, :contents)
#>       %2 goto %4 if not %1
#>       %3 goto %6
#>       %4 newvar n
#>       %5 n
#>       %6 Core.getfield(%0, :contents)
#>       %7 return %6
#>   body 1:
#>     early()
#>       %0 Core.Box()
#>       %1 n = %0
#>       %2 new(Main.#2#1, n)
#>       %3 g = %2
#>       %4 Core.setfield!(n, :contents, 1)
#>       %5 return g

# A variable of a loop's body is a new one each time: no box.
function loop(v)
    for x in v
        push!(fs, () -> x)
    end
end
#>   %0  Core._typevar(Symbol("#x"), Union{}, Any)
#>   %1  Core.svec(%0)
#>   %2  Core.svec(:x)
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#2#1"), %1, %2, %3, false, 1)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec(%0)
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#2#1 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#2#1)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 function Main.loop
#>   %16 latest world
#>   %17 Core.Typeof(Main.loop)
#>   %18 Core.svec(%17, Any)
#>   %19 Core.svec()
#>   %20 Core.svec(%18, %19)
#>   %21 method %20 body 1
#>   %22 latest world
#>   %23 return %15
#>   body 0:
#>     #anonymous()
#>       %0 Core.getfield(#self#, :x)
#>       %1 return %0
#>   body 1:
#>     loop(v)
#>       %0  v
#>       %1  Base.iterate(%0)
#>       %2  @2 = %1
#>       %3  Core.===(@2, nothing)
#>       %4  goto %6 if not %3
#>       %5  goto %16
#>       %6  Core.getfield(@2, 1)
#>       %7  Core.getfield(@2, 2)
#>       %8  x = %6
#>       %9  Core._typeof_captured_variable(x)
#>       %10 Core.apply_type(Main.#2#1, %9)
#>       %11 new(%10, x)
#>       %12 Main.push!(Main.fs, %11)
#>       %13 Base.iterate(%0, %7)
#>       %14 @2 = %13
#>       %15 goto %3
#>       %16 return nothing

# A local function calls itself through its own first argument.
function outer(n)
    inner(k) = k == 0 ? n : inner(k - 1)
    inner(3)
end
#>   %0  Core._typevar(Symbol("#n"), Union{}, Any)
#>   %1  Core.svec(%0)
#>   %2  Core.svec(:n)
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#inner#1"), %1, %2, %3, false, 1)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec(%0)
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#inner#1 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#inner#1, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 function Main.outer
#>   %16 latest world
#>   %17 Core.Typeof(Main.outer)
#>   %18 Core.svec(%17, Any)
#>   %19 Core.svec()
#>   %20 Core.svec(%18, %19)
#>   %21 method %20 body 1
#>   %22 latest world
#>   %23 return %15
#>   body 0:
#>     inner(k)
#>       %0 Main.==(k, 0)
#>       %1 goto %4 if not %0
#>       %2 Core.getfield(#self#, :n)
#>       %3 return %2
#>       %4 Main.-(k, 1)
#>       %5 #self#(%4)
#>       %6 return %5
#>   body 1:
#>     outer(n)
#>       %0 Core._typeof_captured_variable(n)
#>       %1 Core.apply_type(Main.#inner#1, %0)
#>       %2 new(%1, n)
#>       %3 inner = %2
#>       %4 inner(3)
#>       %5 return %4

# Static parameters are captured as parameters of the closure's type.
function f(x::T) where {T}
    y -> convert(T, y)
end
#>   %0  Core._typevar(:T, Union{}, Any)
#>   %1  Core.svec(%0)
#>   %2  Core.svec()
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#2#1"), %1, %2, %3, false, 0)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec()
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#2#1 = %4
#>   %9  latest world
#>   %10 Core._typevar(:T, Union{}, Any)
#>   %11 Core.apply_type(Main.#2#1, %10)
#>   %12 Core.svec(%11, Any)
#>   %13 Core.svec(%10)
#>   %14 Core.svec(%12, %13)
#>   %15 method %14 body 0
#>   %16 latest world
#>   %17 function Main.f
#>   %18 latest world
#>   %19 Core._typevar(:T, Union{}, Any)
#>   %20 Core.Typeof(Main.f)
#>   %21 Core.svec(%20, %19)
#>   %22 Core.svec(%19)
#>   %23 Core.svec(%21, %22)
#>   %24 method %23 body 1
#>   %25 latest world
#>   %26 return %17
#>   body 0:
#>     #anonymous(y) where {T}
#>       %0 Main.convert($T, y)
#>       %1 return %0
#>   body 1:
#>     f(x) where {T}
#>       %0 Core.apply_type(Main.#2#1, $T)
#>       %1 new(%0)
#>       %2 return %1

# All methods of a local function belong to one type.
function f(a)
    g(x) = a
    g(x, y) = x
    g
end
#>   %0  Core._typevar(Symbol("#a"), Union{}, Any)
#>   %1  Core.svec(%0)
#>   %2  Core.svec(:a)
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#g#1"), %1, %2, %3, false, 1)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec(%0)
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#g#1 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#g#1, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 Core.svec(Main.#g#1, Any, Any)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 1
#>   %18 latest world
#>   %19 function Main.f
#>   %20 latest world
#>   %21 Core.Typeof(Main.f)
#>   %22 Core.svec(%21, Any)
#>   %23 Core.svec()
#>   %24 Core.svec(%22, %23)
#>   %25 method %24 body 2
#>   %26 latest world
#>   %27 return %19
#>   body 0:
#>     g(x)
#>       %0 Core.getfield(#self#, :a)
#>       %1 return %0
#>   body 1:
#>     g(x, y)
#>       %0 return x
#>   body 2:
#>     f(a)
#>       %0 Core._typeof_captured_variable(a)
#>       %1 Core.apply_type(Main.#g#1, %0)
#>       %2 new(%1, a)
#>       %3 g = %2
#>       %4 Core._typeof_captured_variable(a)
#>       %5 Core.apply_type(Main.#g#1, %4)
#>       %6 new(%5, a)
#>       %7 g = %6
#>       %8 return g

# A local function with keywords has a body function beside it.
function f(a)
    g(x; k = a) = x + k
    g
end
#>   %0  Core._typevar(Symbol("#a"), Union{}, Any)
#>   %1  Core._typevar(Symbol("##g#1"), Union{}, Any)
#>   %2  Core.svec(%0, %1)
#>   %3  Core.svec(:a, Symbol("#g#1"))
#>   %4  Core.svec()
#>   %5  Core._structtype(Main, Symbol("#g#3"), %2, %3, %4, false, 2)
#>   %6  Core._setsuper!(%5, Core.Function)
#>   %7  Core.svec(%0, %1)
#>   %8  Core._typebody!(%5, %7)
#>   %9  const Main.#g#3 = %5
#>   %10 latest world
#>   %11 Core.svec(Main.#g#3, Any)
#>   %12 Core.svec()
#>   %13 Core.svec(%11, %12)
#>   %14 method %13 body 1
#>   %15 Core.typeof(Core.kwcall)
#>   %16 Core.svec(%15, Core.NamedTuple, Main.#g#3, Any)
#>   %17 Core.svec()
#>   %18 Core.svec(%16, %17)
#>   %19 method %18 body 2
#>   %20 latest world
#>   %21 Core.svec()
#>   %22 Core.svec()
#>   %23 Core.svec()
#>   %24 Core._structtype(Main, Symbol("##g#1#2"), %21, %22, %23, false, 0)
#>   %25 Core._setsuper!(%24, Core.Function)
#>   %26 Core.svec()
#>   %27 Core._typebody!(%24, %26)
#>   %28 const Main.##g#1#2 = %24
#>   %29 latest world
#>   %30 Core.svec(Main.##g#1#2, Any, Main.#g#3, Any)
#>   %31 Core.svec()
#>   %32 Core.svec(%30, %31)
#>   %33 method %32 body 0
#>   %34 latest world
#>   %35 function Main.f
#>   %36 latest world
#>   %37 Core.Typeof(Main.f)
#>   %38 Core.svec(%37, Any)
#>   %39 Core.svec()
#>   %40 Core.svec(%38, %39)
#>   %41 method %40 body 3
#>   %42 latest world
#>   %43 return %35
#>   body 0:
#>     #g#1(k, #self#, x)
#>       %0 Main.+(x, k)
#>       %1 return %0
#>   body 1:
#>     g(x)
#>       %0 Core.getfield(#self#, :a)
#>       %1 k = %0
#>       %2 Core.getfield(#self#, Symbol("#g#1"))
#>       %3 %2(k, #self#, x)
#>       %4 return %3
#>   body 2:
#>     kwcall(#kw#, #self#, x)
#>       %0  Core.isdefined(#kw#, :k)
#>       %1  goto %5 if not %0
#>       %2  Core.getfield(#kw#, :k)
#>       %3  @4 = %2
#>       %4  goto %7
#>       %5  Core.getfield(#self#, :a)
#>       %6  @4 = %5
#>       %7  @4
#>       %8  k = %7
#>       %9  Core.tuple(:k)
#>       %10 Core.apply_type(Core.NamedTuple, %9)
#>       %11 Base.structdiff(#kw#, %10)
#>       %12 Base.pairs(%11)
#>       %13 Base.isempty(%12)
#>       %14 goto %16 if not %13
#>       %15 goto %17
#>       %16 Base.kwerr(#kw#, #self#, x)
#>       %17 Core.getfield(#self#, Symbol("#g#1"))
#>       %18 %17(k, #self#, x)
#>       %19 return %18
#>   body 3:
#>     f(a)
#>       %0 new(Main.##g#1#2)
#>       %1 #g#1 = %0
#>       %2 Core._typeof_captured_variable(a)
#>       %3 Core._typeof_captured_variable(#g#1)
#>       %4 Core.apply_type(Main.#g#3, %2, %3)
#>       %5 new(%4, a, #g#1)
#>       %6 g = %5
#>       %7 return g

# A method of a global function refers to a local of top-level code through a hidden global.
let a = 1
    global f(x) = x + a
end
#>   %0  global Main.#a#1
#>   %1  global Main.f
#>   %2  Core.setglobal!(Main, Symbol("#a#1"), 1)
#>   %3  function Main.f
#>   %4  latest world
#>   %5  Core.Typeof(Main.f)
#>   %6  Core.svec(%5, Any)
#>   %7  Core.svec()
#>   %8  Core.svec(%6, %7)
#>   %9  method %8 body 0
#>   %10 latest world
#>   %11 return %3
#>   body 0:
#>     f(x)
#>       %0 Main.+(x, Main.#a#1)
#>       %1 return %0

function f(T)
    g(x::T) = x
end
#> error[local-in-signature] at `T`: local variable `T` cannot be used in a closure's signature

function f()
    global g
    g(x) = 1
end
#> error[method-in-function] at `g(x) = 1`: a method of a global function can only be defined at top level
