[x^2 for x in v]
#>   %0  declare Main.#1#155687090369
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#1#155687090369"), %1, %2, %3, false, 0)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec()
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#1#155687090369 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#1#155687090369, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 new(Main.#1#155687090369)
#>   %16 Base.Generator(%15, Main.v)
#>   %17 Base.collect(%16)
#>   %18 return %17
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
#>   %0  declare Main.#1#297007067177
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#1#297007067177"), %1, %2, %3, false, 0)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec()
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#1#297007067177 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#1#297007067177, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 new(Main.#1#297007067177)
#>   %16 Base.product(Main.v, Main.w)
#>   %17 Base.Generator(%15, %16)
#>   %18 Base.collect(%17)
#>   %19 return %18
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
#>   %0  declare Main.#1#772373259741
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#1#772373259741"), %1, %2, %3, false, 0)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec()
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#1#772373259741 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#1#772373259741, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 new(Main.#1#772373259741)
#>   %16 Base.Filter(%15, Main.v)
#>   %17 Base.Generator(Base.identity, %16)
#>   %18 return %17
#>   body 0:
#>     #anonymous(x)
#>       %0 Main.>(x, 1)
#>       %1 return %0

# `for` after `for` flattens.
[y for x in v for y in x]
#>   %0  declare Main.#1#503693176072
#>   %1  Core.svec()
#>   %2  Core.svec()
#>   %3  Core.svec()
#>   %4  Core._structtype(Main, Symbol("#1#503693176072"), %1, %2, %3, false, 0)
#>   %5  Core._setsuper!(%4, Core.Function)
#>   %6  Core.svec()
#>   %7  Core._typebody!(%4, %6)
#>   %8  const Main.#1#503693176072 = %4
#>   %9  latest world
#>   %10 Core.svec(Main.#1#503693176072, Any)
#>   %11 Core.svec()
#>   %12 Core.svec(%10, %11)
#>   %13 method %12 body 0
#>   %14 latest world
#>   %15 new(Main.#1#503693176072)
#>   %16 Base.Generator(%15, Main.v)
#>   %17 Base.Flatten(%16)
#>   %18 Base.collect(%17)
#>   %19 return %18
#>   body 0:
#>     #anonymous(x)
#>       %0 Base.Generator(Base.identity, x)
#>       %1 return %0
