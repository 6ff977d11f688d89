[x^2 for x in v]
#>   %0  Core.svec()
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core._structtype(Main, Symbol("#1#618479668241"), %0, %1, %2, false, 0)
#>   %4  Core._setsuper!(%3, Core.Function)
#>   %5  Core.svec()
#>   %6  Core._typebody!(%3, %5)
#>   %7  const Main.#1#618479668241 = %3
#>   %8  latest world
#>   %9  Core.svec(Main.#1#618479668241, Any)
#>   %10 Core.svec()
#>   %11 Core.svec(%9, %10)
#>   %12 method %11 body 0
#>   %13 latest world
#>   %14 new(Main.#1#618479668241)
#>   %15 Base.Generator(%14, Main.v)
#>   %16 Base.collect(%15)
#>   %17 return %16
#>   body 0:
#>     #anonymous(x)
#>       %0 Core.apply_type(Base.Val, 2)
#>       %1 %0()
#>       %2 Base.literal_pow(Main.^, x, %1)
#>       %3 return %2

# A generator of its own variable needs no function.
(x for x in v)
#>   %0 Base.Generator(Base.identity, Main.v)
#>   %1 return %0

# Several iterators are a product, whose elements are taken apart.
[x + y for x in v, y in w]
#>   %0  Core.svec()
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core._structtype(Main, Symbol("#1#258229784880"), %0, %1, %2, false, 0)
#>   %4  Core._setsuper!(%3, Core.Function)
#>   %5  Core.svec()
#>   %6  Core._typebody!(%3, %5)
#>   %7  const Main.#1#258229784880 = %3
#>   %8  latest world
#>   %9  Core.svec(Main.#1#258229784880, Any)
#>   %10 Core.svec()
#>   %11 Core.svec(%9, %10)
#>   %12 method %11 body 0
#>   %13 latest world
#>   %14 new(Main.#1#258229784880)
#>   %15 Base.product(Main.v, Main.w)
#>   %16 Base.Generator(%14, %15)
#>   %17 Base.collect(%16)
#>   %18 return %17
#>   body 0:
#>     #anonymous(#arg#1)
#>       %0 #arg#1
#>       %1 Base.indexed_iterate(%0, 1)
#>       %2 Core.getfield(%1, 1)
#>       %3 Core.getfield(%1, 2)
#>       %4 Base.indexed_iterate(%0, 2, %3)
#>       %5 Core.getfield(%4, 1)
#>       %6 x = %2
#>       %7 y = %5
#>       %8 Main.+(x, y)
#>       %9 return %8

(x for x in v if x > 1)
#>   %0  Core.svec()
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core._structtype(Main, Symbol("#1#782293346177"), %0, %1, %2, false, 0)
#>   %4  Core._setsuper!(%3, Core.Function)
#>   %5  Core.svec()
#>   %6  Core._typebody!(%3, %5)
#>   %7  const Main.#1#782293346177 = %3
#>   %8  latest world
#>   %9  Core.svec(Main.#1#782293346177, Any)
#>   %10 Core.svec()
#>   %11 Core.svec(%9, %10)
#>   %12 method %11 body 0
#>   %13 latest world
#>   %14 new(Main.#1#782293346177)
#>   %15 Base.Filter(%14, Main.v)
#>   %16 Base.Generator(Base.identity, %15)
#>   %17 return %16
#>   body 0:
#>     #anonymous(x)
#>       %0 Main.>(x, 1)
#>       %1 return %0

# `for` after `for` flattens.
[y for x in v for y in x]
#>   %0  Core.svec()
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core._structtype(Main, Symbol("#1#390643031410"), %0, %1, %2, false, 0)
#>   %4  Core._setsuper!(%3, Core.Function)
#>   %5  Core.svec()
#>   %6  Core._typebody!(%3, %5)
#>   %7  const Main.#1#390643031410 = %3
#>   %8  latest world
#>   %9  Core.svec(Main.#1#390643031410, Any)
#>   %10 Core.svec()
#>   %11 Core.svec(%9, %10)
#>   %12 method %11 body 0
#>   %13 latest world
#>   %14 new(Main.#1#390643031410)
#>   %15 Base.Generator(%14, Main.v)
#>   %16 Base.Flatten(%15)
#>   %17 Base.collect(%16)
#>   %18 return %17
#>   body 0:
#>     #anonymous(x)
#>       %0 Base.Generator(Base.identity, x)
#>       %1 return %0
