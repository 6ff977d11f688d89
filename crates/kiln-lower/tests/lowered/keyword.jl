# Keywords make a named tuple that `Core.kwcall` is given first.
f(a; k = 1, b)
#>   %0 Core.tuple(:k, :b)
#>   %1 Core.apply_type(Core.NamedTuple, %0)
#>   %2 Core.tuple(1, Main.b)
#>   %3 %1(%2)
#>   %4 Core.kwcall(%3, Main.f, Main.a)
#>   %5 return %4

# If only a splat gives keywords there may be none, which is a plain call.
f(a; ks...)
#>   %0  Core.tuple()
#>   %1  Core.apply_type(Core.NamedTuple, %0)
#>   %2  Core.tuple()
#>   %3  %1(%2)
#>   %4  Base.merge(%3, Main.ks)
#>   %5  Base.isempty(%4)
#>   %6  goto %9 if not %5
#>   %7  Main.f(Main.a)
#>   %8  return %7
#>   %9  Core.kwcall(%4, Main.f, Main.a)
#>   %10 return %9

# Splats are merged with what stands around them, later ones winning.
(; a = 1, b..., c = 2)
#>   %0  Core.tuple(:a)
#>   %1  Core.apply_type(Core.NamedTuple, %0)
#>   %2  Core.tuple(1)
#>   %3  %1(%2)
#>   %4  Base.merge(%3, Main.b)
#>   %5  Core.tuple(:c)
#>   %6  Core.apply_type(Core.NamedTuple, %5)
#>   %7  Core.tuple(2)
#>   %8  %6(%7)
#>   %9  Base.merge(%4, %8)
#>   %10 return %9

# A function with keywords has a body that takes them in order, a method with the defaults, and a method of `kwcall`.
f(x; k = 1) = x
#>   %0  function Main.#f#629609534304
#>   %1  latest world
#>   %2  function Main.f
#>   %3  latest world
#>   %4  Core.Typeof(Main.#f#629609534304)
#>   %5  Core.Typeof(Main.f)
#>   %6  Core.svec(%4, Any, %5, Any)
#>   %7  Core.svec()
#>   %8  Core.svec(%6, %7)
#>   %9  method %8 body 0
#>   %10 latest world
#>   %11 function Main.f
#>   %12 latest world
#>   %13 Core.Typeof(Main.f)
#>   %14 Core.svec(%13, Any)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 1
#>   %18 Core.typeof(Core.kwcall)
#>   %19 Core.Typeof(Main.f)
#>   %20 Core.svec(%18, Core.NamedTuple, %19, Any)
#>   %21 Core.svec()
#>   %22 Core.svec(%20, %21)
#>   %23 method %22 body 2
#>   %24 latest world
#>   %25 return %11
#>   body 0:
#>     #f#629609534304(k, #self#, x)
#>       %0 return x
#>   body 1:
#>     f(x)
#>       %0 k = 1
#>       %1 Main.#f#629609534304(k, #self#, x)
#>       %2 return %1
#>   body 2:
#>     kwcall(#kw#, #self#, x)
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
#>       %14 Base.kwerr(#kw#, #self#, x)
#>       %15 Main.#f#629609534304(k, #self#, x)
#>       %16 return %15

# A keyword without a default must be given. One with a type is checked, so that the error names the keyword.
f(; k::Int) = k
#>   %0  function Main.#f#486730387731
#>   %1  latest world
#>   %2  function Main.f
#>   %3  latest world
#>   %4  Core.Typeof(Main.#f#486730387731)
#>   %5  Core.Typeof(Main.f)
#>   %6  Core.svec(%4, Main.Int, %5)
#>   %7  Core.svec()
#>   %8  Core.svec(%6, %7)
#>   %9  method %8 body 0
#>   %10 latest world
#>   %11 function Main.f
#>   %12 latest world
#>   %13 Core.Typeof(Main.f)
#>   %14 Core.svec(%13)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 1
#>   %18 Core.typeof(Core.kwcall)
#>   %19 Core.Typeof(Main.f)
#>   %20 Core.svec(%18, Core.NamedTuple, %19)
#>   %21 Core.svec()
#>   %22 Core.svec(%20, %21)
#>   %23 method %22 body 2
#>   %24 latest world
#>   %25 return %11
#>   body 0:
#>     #f#486730387731(k, #self#)
#>       %0 return k
#>   body 1:
#>     f()
#>       %0 Core.UndefKeywordError(:k)
#>       %1 Core.throw(%0)
#>       %2 k = %1
#>       %3 Main.#f#486730387731(k, #self#)
#>       %4 return %3
#>   body 2:
#>     kwcall(#kw#, #self#)
#>       %0  Core.isdefined(#kw#, :k)
#>       %1  goto %10 if not %0
#>       %2  Core.getfield(#kw#, :k)
#>       %3  Core.isa(%2, Main.Int)
#>       %4  goto %6 if not %3
#>       %5  goto %8
#>       %6  Core.TypeError(Symbol("keyword argument"), :k, Main.Int, %2)
#>       %7  Core.throw(%6)
#>       %8  @3 = %2
#>       %9  goto %13
#>       %10 Core.UndefKeywordError(:k)
#>       %11 Core.throw(%10)
#>       %12 @3 = %11
#>       %13 @3
#>       %14 k = %13
#>       %15 Core.tuple(:k)
#>       %16 Core.apply_type(Core.NamedTuple, %15)
#>       %17 Base.structdiff(#kw#, %16)
#>       %18 Base.isempty(%17)
#>       %19 goto %21 if not %18
#>       %20 goto %22
#>       %21 Base.kwerr(#kw#, #self#)
#>       %22 Main.#f#486730387731(k, #self#)
#>       %23 return %22

# The rest of the keywords go to `...`; a default sees the keywords before it.
f(; a, b = a, c...) = b
#>   %0  function Main.#f#826080422718
#>   %1  latest world
#>   %2  function Main.f
#>   %3  latest world
#>   %4  Core.Typeof(Main.#f#826080422718)
#>   %5  Core.Typeof(Main.f)
#>   %6  Core.svec(%4, Any, Any, Any, %5)
#>   %7  Core.svec()
#>   %8  Core.svec(%6, %7)
#>   %9  method %8 body 0
#>   %10 latest world
#>   %11 function Main.f
#>   %12 latest world
#>   %13 Core.Typeof(Main.f)
#>   %14 Core.svec(%13)
#>   %15 Core.svec()
#>   %16 Core.svec(%14, %15)
#>   %17 method %16 body 1
#>   %18 Core.typeof(Core.kwcall)
#>   %19 Core.Typeof(Main.f)
#>   %20 Core.svec(%18, Core.NamedTuple, %19)
#>   %21 Core.svec()
#>   %22 Core.svec(%20, %21)
#>   %23 method %22 body 2
#>   %24 latest world
#>   %25 return %11
#>   body 0:
#>     #f#826080422718(a, b, c, #self#)
#>       %0 return b
#>   body 1:
#>     f()
#>       %0 Core.UndefKeywordError(:a)
#>       %1 Core.throw(%0)
#>       %2 a = %1
#>       %3 a
#>       %4 b = %3
#>       %5 Core.NamedTuple()
#>       %6 Base.pairs(%5)
#>       %7 c = %6
#>       %8 Main.#f#826080422718(a, b, c, #self#)
#>       %9 return %8
#>   body 2:
#>     kwcall(#kw#, #self#)
#>       %0  Core.isdefined(#kw#, :a)
#>       %1  goto %5 if not %0
#>       %2  Core.getfield(#kw#, :a)
#>       %3  @3 = %2
#>       %4  goto %8
#>       %5  Core.UndefKeywordError(:a)
#>       %6  Core.throw(%5)
#>       %7  @3 = %6
#>       %8  @3
#>       %9  a = %8
#>       %10 Core.isdefined(#kw#, :b)
#>       %11 goto %15 if not %10
#>       %12 Core.getfield(#kw#, :b)
#>       %13 @5 = %12
#>       %14 goto %16
#>       %15 @5 = a
#>       %16 @5
#>       %17 b = %16
#>       %18 Core.tuple(:a, :b)
#>       %19 Core.apply_type(Core.NamedTuple, %18)
#>       %20 Base.structdiff(#kw#, %19)
#>       %21 Base.pairs(%20)
#>       %22 c = %21
#>       %23 Main.#f#826080422718(a, b, c, #self#)
#>       %24 return %23

f(x; x = 1) = x
#> error[duplicate-argument] at `x = 1`: function argument name not unique: "x"

f(a = 1, a = 2)
#> error[duplicate-keyword] at `2`: keyword argument "a" repeated in call to "f"
