# A struct is made by builtins, then bound unless the global holds an equal definition.
struct P
    x::Int
    y
end
#>   %0  Core.svec()
#>   %1  Core.svec(:x, :y)
#>   %2  Core.svec()
#>   %3  Core._structtype(Main, :P, %0, %1, %2, false, 2)
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
#>   %15 Core.svec(Main.Int, Any)
#>   %16 Core._typebody!(%14, %3, %15)
#>   %17 Core.===(%16, @1)
#>   %18 goto %20 if not %17
#>   %19 goto %22
#>   %20 const Main.P = %16
#>   %21 latest world
#>   %22 latest world
#>   %23 Core.apply_type(Core.Type, Main.P)
#>   %24 Core.svec(%23, Main.Int, Any)
#>   %25 Core.svec()
#>   %26 Core.svec(%24, %25)
#>   %27 method %26 body 0
#>   %28 latest world
#>   %29 Core.apply_type(Core.Type, Main.P)
#>   %30 Core.svec(%29, Any, Any)
#>   %31 Core.svec()
#>   %32 Core.svec(%30, %31)
#>   %33 method %32 body 1
#>   %34 latest world
#>   %35 return nothing
#>   body 0:
#>     P(x, y)
#>       %0 new(Main.P, x, y)
#>       %1 return %0
#>   body 1:
#>     P(x, y)
#>       %0 Core.fieldtype(Main.P, 1)
#>       %1 @3 = x
#>       %2 Core.isa(@3, %0)
#>       %3 goto %5 if not %2
#>       %4 goto %7
#>       %5 Base.convert(%0, @3)
#>       %6 @3 = %5
#>       %7 @3
#>       %8 new(Main.P, %7, y)
#>       %9 return %8

# A parametric struct has a converting constructor for each `P{T}` and one that finds `T`.
mutable struct P{T <: Real} <: Q{T}
    const a::T
    b::Int
end
#>   %0  Core._typevar(:T, Union{}, Main.Real)
#>   %1  T = %0
#>   %2  Core.svec(T)
#>   %3  Core.svec(:a, :b)
#>   %4  Core.svec(1, Symbol("const"))
#>   %5  Core._structtype(Main, :P, %2, %3, %4, true, 2)
#>   %6  P = %5
#>   %7  Core.apply_type(Main.Q, T)
#>   %8  Core._setsuper!(%5, %7)
#>   %9  @2 = false
#>   %10 isdefined Main.P
#>   %11 goto %17 if not %10
#>   %12 Core._equiv_typedef(Main.P, %5)
#>   %13 goto %17 if not %12
#>   %14 @2 = Main.P
#>   %15 P = Main.P
#>   %16 goto %17
#>   %17 @2
#>   %18 Core.svec(T, Main.Int)
#>   %19 Core._typebody!(%17, %5, %18)
#>   %20 Core.===(%19, @2)
#>   %21 goto %23 if not %20
#>   %22 goto %25
#>   %23 const Main.P = %19
#>   %24 latest world
#>   %25 latest world
#>   %26 Core._typevar(:T, Union{}, Main.Real)
#>   %27 Core.apply_type(Main.P, %26)
#>   %28 Core.apply_type(Core.Type, %27)
#>   %29 Core.svec(%28, Any, Any)
#>   %30 Core.svec(%26)
#>   %31 Core.svec(%29, %30)
#>   %32 method %31 body 0
#>   %33 latest world
#>   %34 Core._typevar(:T, Union{}, Main.Real)
#>   %35 Core.apply_type(Core.Type, Main.P)
#>   %36 Core.svec(%35, %34, Main.Int)
#>   %37 Core.svec(%34)
#>   %38 Core.svec(%36, %37)
#>   %39 method %38 body 1
#>   %40 latest world
#>   %41 return nothing
#>   body 0:
#>     P(a, b) where {T}
#>       %0  Core.apply_type(Main.P, $T)
#>       %1  Core.fieldtype(%0, 1)
#>       %2  @3 = a
#>       %3  Core.isa(@3, %1)
#>       %4  goto %6 if not %3
#>       %5  goto %8
#>       %6  Base.convert(%1, @3)
#>       %7  @3 = %6
#>       %8  @3
#>       %9  Core.fieldtype(%0, 2)
#>       %10 @4 = b
#>       %11 Core.isa(@4, %9)
#>       %12 goto %14 if not %11
#>       %13 goto %16
#>       %14 Base.convert(%9, @4)
#>       %15 @4 = %14
#>       %16 new(%0, %8, @4)
#>       %17 return %16
#>   body 1:
#>     P(a, b) where {T}
#>       %0 Core.apply_type(Main.P, $T)
#>       %1 new(%0, a, b)
#>       %2 return %1

struct P{T}
    a::T
end
#>   %0  Core._typevar(:T, Union{}, Any)
#>   %1  T = %0
#>   %2  Core.svec(T)
#>   %3  Core.svec(:a)
#>   %4  Core.svec()
#>   %5  Core._structtype(Main, :P, %2, %3, %4, false, 1)
#>   %6  P = %5
#>   %7  Core._setsuper!(%5, Any)
#>   %8  @2 = false
#>   %9  isdefined Main.P
#>   %10 goto %16 if not %9
#>   %11 Core._equiv_typedef(Main.P, %5)
#>   %12 goto %16 if not %11
#>   %13 @2 = Main.P
#>   %14 P = Main.P
#>   %15 goto %16
#>   %16 @2
#>   %17 Core.svec(T)
#>   %18 Core._typebody!(%16, %5, %17)
#>   %19 Core.===(%18, @2)
#>   %20 goto %22 if not %19
#>   %21 goto %24
#>   %22 const Main.P = %18
#>   %23 latest world
#>   %24 latest world
#>   %25 Core._typevar(:T, Union{}, Any)
#>   %26 Core.apply_type(Main.P, %25)
#>   %27 Core.apply_type(Core.Type, %26)
#>   %28 Core.svec(%27, Any)
#>   %29 Core.svec(%25)
#>   %30 Core.svec(%28, %29)
#>   %31 method %30 body 0
#>   %32 latest world
#>   %33 Core._typevar(:T, Union{}, Any)
#>   %34 Core.apply_type(Core.Type, Main.P)
#>   %35 Core.svec(%34, %33)
#>   %36 Core.svec(%33)
#>   %37 Core.svec(%35, %36)
#>   %38 method %37 body 1
#>   %39 latest world
#>   %40 return nothing
#>   body 0:
#>     P(a) where {T}
#>       %0 Core.apply_type(Main.P, $T)
#>       %1 Core.fieldtype(%0, 1)
#>       %2 @2 = a
#>       %3 Core.isa(@2, %1)
#>       %4 goto %6 if not %3
#>       %5 goto %8
#>       %6 Base.convert(%1, @2)
#>       %7 @2 = %6
#>       %8 new(%0, @2)
#>       %9 return %8
#>   body 1:
#>     P(a) where {T}
#>       %0 Core.apply_type(Main.P, $T)
#>       %1 new(%0, a)
#>       %2 return %1

# Inner constructors replace the others; `new` converts, and fields it leaves out start undefined.
mutable struct L{T}
    head::T
    tail
    L{T}() where {T} = new()
    L{T}(x) where {T} = new{T}(x, nothing)
    L(x...) = new{Int}(x...)
end
#>   %0  Core._typevar(:T, Union{}, Any)
#>   %1  T = %0
#>   %2  Core.svec(T)
#>   %3  Core.svec(:head, :tail)
#>   %4  Core.svec()
#>   %5  Core._structtype(Main, :L, %2, %3, %4, true, 0)
#>   %6  L = %5
#>   %7  Core._setsuper!(%5, Any)
#>   %8  @2 = false
#>   %9  isdefined Main.L
#>   %10 goto %16 if not %9
#>   %11 Core._equiv_typedef(Main.L, %5)
#>   %12 goto %16 if not %11
#>   %13 @2 = Main.L
#>   %14 L = Main.L
#>   %15 goto %16
#>   %16 @2
#>   %17 Core.svec(T, Any)
#>   %18 Core._typebody!(%16, %5, %17)
#>   %19 Core.===(%18, @2)
#>   %20 goto %22 if not %19
#>   %21 goto %24
#>   %22 const Main.L = %18
#>   %23 latest world
#>   %24 latest world
#>   %25 Core._typevar(:T, Union{}, Any)
#>   %26 Core.apply_type(Main.L, %25)
#>   %27 Core.Typeof(%26)
#>   %28 Core.svec(%27)
#>   %29 Core.svec(%25)
#>   %30 Core.svec(%28, %29)
#>   %31 method %30 body 0
#>   %32 latest world
#>   %33 Core._typevar(:T, Union{}, Any)
#>   %34 Core.apply_type(Main.L, %33)
#>   %35 Core.Typeof(%34)
#>   %36 Core.svec(%35, Any)
#>   %37 Core.svec(%33)
#>   %38 Core.svec(%36, %37)
#>   %39 method %38 body 1
#>   %40 latest world
#>   %41 function Main.L
#>   %42 latest world
#>   %43 Core.Typeof(Main.L)
#>   %44 Core.apply_type(Core.Vararg, Any)
#>   %45 Core.svec(%43, %44)
#>   %46 Core.svec()
#>   %47 Core.svec(%45, %46)
#>   %48 method %47 body 2
#>   %49 latest world
#>   %50 return nothing
#>   body 0:
#>     L() where {T}
#>       %0 Core.apply_type(Main.L, $T)
#>       %1 new(%0)
#>       %2 return %1
#>   body 1:
#>     L(x) where {T}
#>       %0 Core.apply_type(Main.L, $T)
#>       %1 Core.fieldtype(%0, 1)
#>       %2 @2 = x
#>       %3 Core.isa(@2, %1)
#>       %4 goto %6 if not %3
#>       %5 goto %8
#>       %6 Base.convert(%1, @2)
#>       %7 @2 = %6
#>       %8 new(%0, @2, Main.nothing)
#>       %9 return %8
#>   body 2:
#>     L(x...)
#>       %0  Core.apply_type(Main.L, Main.Int)
#>       %1  Core._apply_iterate(Base.iterate, Core.tuple, x)
#>       %2  Core.nfields(%1)
#>       %3  Base.slt_int(%2, 2)
#>       %4  goto %8 if not %3
#>       %5  Core.ArgumentError("new: too few arguments (expected 2)")
#>       %6  Core.throw(%5)
#>       %7  goto %8
#>       %8  Base.slt_int(2, %2)
#>       %9  goto %13 if not %8
#>       %10 Core.ArgumentError("new: too many arguments (expected 2)")
#>       %11 Core.throw(%10)
#>       %12 goto %13
#>       %13 Core.fieldtype(%0, 1)
#>       %14 Core.getfield(%1, 1)
#>       %15 @2 = %14
#>       %16 Core.isa(@2, %13)
#>       %17 goto %19 if not %16
#>       %18 goto %21
#>       %19 Base.convert(%13, @2)
#>       %20 @2 = %19
#>       %21 @2
#>       %22 Core.getfield(%1, 2)
#>       %23 new(%0, %21, %22)
#>       %24 return %23

abstract type A{T} <: B end
#>   %0  Core._typevar(:T, Union{}, Any)
#>   %1  T = %0
#>   %2  Core.svec(T)
#>   %3  Core._abstracttype(Main, :A, %2)
#>   %4  A = %3
#>   %5  Core._setsuper!(%3, Main.B)
#>   %6  @2 = false
#>   %7  isdefined Main.A
#>   %8  goto %14 if not %7
#>   %9  Core._equiv_typedef(Main.A, %3)
#>   %10 goto %14 if not %9
#>   %11 @2 = Main.A
#>   %12 A = Main.A
#>   %13 goto %14
#>   %14 Core.===(A, @2)
#>   %15 goto %17 if not %14
#>   %16 goto %19
#>   %17 const Main.A = A
#>   %18 latest world
#>   %19 latest world
#>   %20 return nothing

primitive type Word <: Unsigned 32 end
#>   %0  Core.svec()
#>   %1  Core._primitivetype(Main, :Word, %0, 32)
#>   %2  Word = %1
#>   %3  Core._setsuper!(%1, Main.Unsigned)
#>   %4  @1 = false
#>   %5  isdefined Main.Word
#>   %6  goto %12 if not %5
#>   %7  Core._equiv_typedef(Main.Word, %1)
#>   %8  goto %12 if not %7
#>   %9  @1 = Main.Word
#>   %10 Word = Main.Word
#>   %11 goto %12
#>   %12 Core.===(Word, @1)
#>   %13 goto %15 if not %12
#>   %14 goto %17
#>   %15 const Main.Word = Word
#>   %16 latest world
#>   %17 latest world
#>   %18 return nothing

struct P
    x
    x
end
#> error[duplicate-field] at `struct P`: field name `x` is not unique

struct P{T}
    x::T
    P(x) = new(x)
end
#> error[new-parameters] at `new(x)`: too few type parameters specified in "new"

struct P
    x::Int = 1
end
#> error[field-default] at `x::Int = 1`: a field can not have a default value here
#> help: put `@kwdef` before `struct`

new(1)
#>   %0 Main.new(1)
#>   %1 return %0
