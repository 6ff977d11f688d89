# A closure is an instance of a struct with a field for each captured variable; the fields' types are parameters.
function f(n)
    x -> x + n
end
#>   %0  isdefined Main.#f##1#f##755375115783
#>   %1  goto %3 if not %0
#>   %2  goto %13
#>   %3  declare Main.#f##1#f##755375115783
#>   %4  Core._typevar(Symbol("#n"), Union{}, Any)
#>   %5  Core.svec(%4)
#>   %6  Core.svec(:n)
#>   %7  Core.svec()
#>   %8  Core._structtype(Main, Symbol("#f##1#f##755375115783"), %5, %6, %7, false, 1)
#>   %9  Core._setsuper!(%8, Core.Function)
#>   %10 Core.svec(%4)
#>   %11 Core._typebody!(%8, %10)
#>   %12 const Main.#f##1#f##755375115783 = %8
#>   %13 latest world
#>   %14 Core.svec(Main.#f##1#f##755375115783, Any)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 0
#>   %18 latest world
#>   %19 function Main.f
#>   %20 latest world
#>   %21 Core.Typeof(Main.f)
#>   %22 Core.svec(%21, Any)
#>   %23 Core.svec()
#>   %24 Core.svec(%22, %23)
#>   %25 method %24 body 1
#>   %26 latest world
#>   %27 return %19
#>   body 0:
#>     #anonymous(x)
#>       %0 Core.getfield(#self#, :n)
#>       %1 Main.+(x, %0)
#>       %2 return %1
#>   body 1:
#>     f(n)
#>       %0 Core._typeof_captured_variable(n)
#>       %1 Core.apply_type(Main.#f##1#f##755375115783, %0)
#>       %2 new(%1, n)
#>       %3 return %2

# A variable assigned again lives in a box.
function counter()
    n = 0
    () -> (n += 1)
end
#>   %0  isdefined Main.#counter##1#counter##147724060948
#>   %1  goto %3 if not %0
#>   %2  goto %12
#>   %3  declare Main.#counter##1#counter##147724060948
#>   %4  Core.svec()
#>   %5  Core.svec(:n)
#>   %6  Core.svec()
#>   %7  Core._structtype(Main, Symbol("#counter##1#counter##147724060948"), %4, %5, %6, false, 1)
#>   %8  Core._setsuper!(%7, Core.Function)
#>   %9  Core.svec(Core.Box)
#>   %10 Core._typebody!(%7, %9)
#>   %11 const Main.#counter##1#counter##147724060948 = %7
#>   %12 latest world
#>   %13 Core.svec(Main.#counter##1#counter##147724060948)
#>   %14 Core.svec()
#>   %15 Core.svec(%13, %14)
#>   %16 method %15 body 0
#>   %17 latest world
#>   %18 function Main.counter
#>   %19 latest world
#>   %20 Core.Typeof(Main.counter)
#>   %21 Core.svec(%20)
#>   %22 Core.svec()
#>   %23 Core.svec(%21, %22)
#>   %24 method %23 body 1
#>   %25 latest world
#>   %26 return %18
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
#>       %3 new(Main.#counter##1#counter##147724060948, n)
#>       %4 return %3

# A closure made before its variable is assigned needs a box too.
function early()
    g = () -> n
    n = 1
    g
end
#>   %0  isdefined Main.#early##1#early##312531889908
#>   %1  goto %3 if not %0
#>   %2  goto %12
#>   %3  declare Main.#early##1#early##312531889908
#>   %4  Core.svec()
#>   %5  Core.svec(:n)
#>   %6  Core.svec()
#>   %7  Core._structtype(Main, Symbol("#early##1#early##312531889908"), %4, %5, %6, false, 1)
#>   %8  Core._setsuper!(%7, Core.Function)
#>   %9  Core.svec(Core.Box)
#>   %10 Core._typebody!(%7, %9)
#>   %11 const Main.#early##1#early##312531889908 = %7
#>   %12 latest world
#>   %13 Core.svec(Main.#early##1#early##312531889908)
#>   %14 Core.svec()
#>   %15 Core.svec(%13, %14)
#>   %16 method %15 body 0
#>   %17 latest world
#>   %18 function Main.early
#>   %19 latest world
#>   %20 Core.Typeof(Main.early)
#>   %21 Core.svec(%20)
#>   %22 Core.svec()
#>   %23 Core.svec(%21, %22)
#>   %24 method %23 body 1
#>   %25 latest world
#>   %26 return %18
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
#>       %2 new(Main.#early##1#early##312531889908, n)
#>       %3 g = %2
#>       %4 Core.setfield!(n, :contents, 1)
#>       %5 return g

# A variable of a loop's body is a new one each time: no box.
function loop(v)
    for x in v
        push!(fs, () -> x)
    end
end
#>   %0  isdefined Main.#loop##1#loop##943455566721
#>   %1  goto %3 if not %0
#>   %2  goto %13
#>   %3  declare Main.#loop##1#loop##943455566721
#>   %4  Core._typevar(Symbol("#x"), Union{}, Any)
#>   %5  Core.svec(%4)
#>   %6  Core.svec(:x)
#>   %7  Core.svec()
#>   %8  Core._structtype(Main, Symbol("#loop##1#loop##943455566721"), %5, %6, %7, false, 1)
#>   %9  Core._setsuper!(%8, Core.Function)
#>   %10 Core.svec(%4)
#>   %11 Core._typebody!(%8, %10)
#>   %12 const Main.#loop##1#loop##943455566721 = %8
#>   %13 latest world
#>   %14 Core.svec(Main.#loop##1#loop##943455566721)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 0
#>   %18 latest world
#>   %19 function Main.loop
#>   %20 latest world
#>   %21 Core.Typeof(Main.loop)
#>   %22 Core.svec(%21, Any)
#>   %23 Core.svec()
#>   %24 Core.svec(%22, %23)
#>   %25 method %24 body 1
#>   %26 latest world
#>   %27 return %19
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
#>       %10 Core.apply_type(Main.#loop##1#loop##943455566721, %9)
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
#>   %0  isdefined Main.#inner#outer##867956393376
#>   %1  goto %3 if not %0
#>   %2  goto %13
#>   %3  declare Main.#inner#outer##867956393376
#>   %4  Core._typevar(Symbol("#n"), Union{}, Any)
#>   %5  Core.svec(%4)
#>   %6  Core.svec(:n)
#>   %7  Core.svec()
#>   %8  Core._structtype(Main, Symbol("#inner#outer##867956393376"), %5, %6, %7, false, 1)
#>   %9  Core._setsuper!(%8, Core.Function)
#>   %10 Core.svec(%4)
#>   %11 Core._typebody!(%8, %10)
#>   %12 const Main.#inner#outer##867956393376 = %8
#>   %13 latest world
#>   %14 Core.svec(Main.#inner#outer##867956393376, Any)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 0
#>   %18 latest world
#>   %19 function Main.outer
#>   %20 latest world
#>   %21 Core.Typeof(Main.outer)
#>   %22 Core.svec(%21, Any)
#>   %23 Core.svec()
#>   %24 Core.svec(%22, %23)
#>   %25 method %24 body 1
#>   %26 latest world
#>   %27 return %19
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
#>       %1 Core.apply_type(Main.#inner#outer##867956393376, %0)
#>       %2 new(%1, n)
#>       %3 inner = %2
#>       %4 inner(3)
#>       %5 return %4

# Static parameters are captured as parameters of the closure's type.
function f(x::T) where {T}
    y -> convert(T, y)
end
#>   %0  isdefined Main.#f##1#f##650162225219
#>   %1  goto %3 if not %0
#>   %2  goto %13
#>   %3  declare Main.#f##1#f##650162225219
#>   %4  Core._typevar(:T, Union{}, Any)
#>   %5  Core.svec(%4)
#>   %6  Core.svec()
#>   %7  Core.svec()
#>   %8  Core._structtype(Main, Symbol("#f##1#f##650162225219"), %5, %6, %7, false, 0)
#>   %9  Core._setsuper!(%8, Core.Function)
#>   %10 Core.svec()
#>   %11 Core._typebody!(%8, %10)
#>   %12 const Main.#f##1#f##650162225219 = %8
#>   %13 latest world
#>   %14 Core._typevar(:T, Union{}, Any)
#>   %15 Core.apply_type(Main.#f##1#f##650162225219, %14)
#>   %16 Core.svec(%15, Any)
#>   %17 Core.svec(%14)
#>   %18 Core.svec(%16, %17)
#>   %19 method %18 body 0
#>   %20 latest world
#>   %21 function Main.f
#>   %22 latest world
#>   %23 Core._typevar(:T, Union{}, Any)
#>   %24 Core.Typeof(Main.f)
#>   %25 Core.svec(%24, %23)
#>   %26 Core.svec(%23)
#>   %27 Core.svec(%25, %26)
#>   %28 method %27 body 1
#>   %29 latest world
#>   %30 return %21
#>   body 0:
#>     #anonymous(y) where {T}
#>       %0 Main.convert($T, y)
#>       %1 return %0
#>   body 1:
#>     f(x) where {T}
#>       %0 Core.apply_type(Main.#f##1#f##650162225219, $T)
#>       %1 new(%0)
#>       %2 return %1

# All methods of a local function belong to one type.
function f(a)
    g(x) = a
    g(x, y) = x
    g
end
#>   %0  isdefined Main.#g#f##085425871595
#>   %1  goto %3 if not %0
#>   %2  goto %13
#>   %3  declare Main.#g#f##085425871595
#>   %4  Core._typevar(Symbol("#a"), Union{}, Any)
#>   %5  Core.svec(%4)
#>   %6  Core.svec(:a)
#>   %7  Core.svec()
#>   %8  Core._structtype(Main, Symbol("#g#f##085425871595"), %5, %6, %7, false, 1)
#>   %9  Core._setsuper!(%8, Core.Function)
#>   %10 Core.svec(%4)
#>   %11 Core._typebody!(%8, %10)
#>   %12 const Main.#g#f##085425871595 = %8
#>   %13 latest world
#>   %14 Core.svec(Main.#g#f##085425871595, Any)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 0
#>   %18 Core.svec(Main.#g#f##085425871595, Any, Any)
#>   %19 Core.svec()
#>   %20 Core.svec(%18, %19)
#>   %21 method %20 body 1
#>   %22 latest world
#>   %23 function Main.f
#>   %24 latest world
#>   %25 Core.Typeof(Main.f)
#>   %26 Core.svec(%25, Any)
#>   %27 Core.svec()
#>   %28 Core.svec(%26, %27)
#>   %29 method %28 body 2
#>   %30 latest world
#>   %31 return %23
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
#>       %1 Core.apply_type(Main.#g#f##085425871595, %0)
#>       %2 new(%1, a)
#>       %3 g = %2
#>       %4 Core._typeof_captured_variable(a)
#>       %5 Core.apply_type(Main.#g#f##085425871595, %4)
#>       %6 new(%5, a)
#>       %7 g = %6
#>       %8 return g

# A local function with keywords has a body function beside it.
function f(a)
    g(x; k = a) = x + k
    g
end
#>   %0  isdefined Main.#g#f##720203810037
#>   %1  goto %3 if not %0
#>   %2  goto %14
#>   %3  declare Main.#g#f##720203810037
#>   %4  Core._typevar(Symbol("#a"), Union{}, Any)
#>   %5  Core._typevar(Symbol("##g#597327865927"), Union{}, Any)
#>   %6  Core.svec(%4, %5)
#>   %7  Core.svec(:a, Symbol("#g#597327865927"))
#>   %8  Core.svec()
#>   %9  Core._structtype(Main, Symbol("#g#f##720203810037"), %6, %7, %8, false, 2)
#>   %10 Core._setsuper!(%9, Core.Function)
#>   %11 Core.svec(%4, %5)
#>   %12 Core._typebody!(%9, %11)
#>   %13 const Main.#g#f##720203810037 = %9
#>   %14 latest world
#>   %15 Core.svec(Main.#g#f##720203810037, Any)
#>   %16 Core.svec()
#>   %17 Core.svec(%15, %16)
#>   %18 method %17 body 1
#>   %19 Core.typeof(Core.kwcall)
#>   %20 Core.svec(%19, Core.NamedTuple, Main.#g#f##720203810037, Any)
#>   %21 Core.svec()
#>   %22 Core.svec(%20, %21)
#>   %23 method %22 body 2
#>   %24 latest world
#>   %25 isdefined Main.#g#f##311080841614
#>   %26 goto %28 if not %25
#>   %27 goto %37
#>   %28 declare Main.#g#f##311080841614
#>   %29 Core.svec()
#>   %30 Core.svec()
#>   %31 Core.svec()
#>   %32 Core._structtype(Main, Symbol("#g#f##311080841614"), %29, %30, %31, false, 0)
#>   %33 Core._setsuper!(%32, Core.Function)
#>   %34 Core.svec()
#>   %35 Core._typebody!(%32, %34)
#>   %36 const Main.#g#f##311080841614 = %32
#>   %37 latest world
#>   %38 Core.svec(Main.#g#f##311080841614, Any, Main.#g#f##720203810037, Any)
#>   %39 Core.svec()
#>   %40 Core.svec(%38, %39)
#>   %41 method %40 body 0
#>   %42 latest world
#>   %43 function Main.f
#>   %44 latest world
#>   %45 Core.Typeof(Main.f)
#>   %46 Core.svec(%45, Any)
#>   %47 Core.svec()
#>   %48 Core.svec(%46, %47)
#>   %49 method %48 body 3
#>   %50 latest world
#>   %51 return %43
#>   body 0:
#>     #g#597327865927(k, #self#, x)
#>       %0 Main.+(x, k)
#>       %1 return %0
#>   body 1:
#>     g(x)
#>       %0 Core.getfield(#self#, :a)
#>       %1 k = %0
#>       %2 Core.getfield(#self#, Symbol("#g#597327865927"))
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
#>       %12 Base.isempty(%11)
#>       %13 goto %15 if not %12
#>       %14 goto %16
#>       %15 Base.kwerr(#kw#, #self#, x)
#>       %16 Core.getfield(#self#, Symbol("#g#597327865927"))
#>       %17 %16(k, #self#, x)
#>       %18 return %17
#>   body 3:
#>     f(a)
#>       %0 new(Main.#g#f##311080841614)
#>       %1 #g#597327865927 = %0
#>       %2 Core._typeof_captured_variable(a)
#>       %3 Core._typeof_captured_variable(#g#597327865927)
#>       %4 Core.apply_type(Main.#g#f##720203810037, %2, %3)
#>       %5 new(%4, a, #g#597327865927)
#>       %6 g = %5
#>       %7 return g

# A method of a global function refers to a local of top-level code through a hidden global.
let a = 1
    global f(x) = x + a
end
#>   %0  a = 1
#>   %1  declare Main.f
#>   %2  latest world
#>   %3  function Main.f
#>   %4  latest world
#>   %5  Core.Typeof(Main.f)
#>   %6  Core.svec(%5, Any)
#>   %7  Core.svec()
#>   %8  Core.svec(Symbol("#a#229064658533"), a)
#>   %9  Core.svec(%6, %7, %8)
#>   %10 method %9 body 0
#>   %11 latest world
#>   %12 return %3
#>   body 0:
#>     f(x)
#>       %0 Main.+(x, Main.#a#229064658533)
#>       %1 return %0

function f(T)
    g(x::T) = x
end
#> error[local-in-signature] at `T`: local variable T cannot be used in closure declaration

function f()
    global g
    g(x) = 1
end
#> error[method-in-function] at `g(x) = 1`: a method of a global function can only be defined at top level
