Vector{<:Real}
#>   %0 Core._typevar(Symbol("#s1"), Union{}, Main.Real)
#>   %1 #where1#1 = %0
#>   %2 Core.apply_type(Main.Vector, #where1#1)
#>   %3 Core._unionall(#where1#1, %2)
#>   %4 return %3

Array{T, N} where {T <: Real, N}
#>   %0 Core._typevar(:T, Union{}, Main.Real)
#>   %1 T = %0
#>   %2 Core._typevar(:N, Union{}, Any)
#>   %3 N = %2
#>   %4 Core.apply_type(Main.Array, T, N)
#>   %5 Core._unionall(N, %4)
#>   %6 Core._unionall(T, %5)
#>   %7 return %6

# A type alias is a constant.
const V{T} = Array{T, 1}
#>   %0 Core._typevar(:T, Union{}, Any)
#>   %1 T = %0
#>   %2 Core.apply_type(Main.Array, T, 1)
#>   %3 Core._unionall(T, %2)
#>   %4 const Main.V = %3
#>   %5 latest world
#>   %6 return %3

x::Int
#>   %0 Core.typeassert(Main.x, Main.Int)
#>   %1 return %0

Tuple{Ts...}
#>   %0 Core.tuple(Main.Tuple)
#>   %1 Core._apply_iterate(Base.iterate, Core.apply_type, %0, Main.Ts)
#>   %2 return %1

L <: T <: U
#>   %0 Main.<:(Main.L, Main.T)
#>   %1 goto %4 if not %0
#>   %2 Main.<:(Main.T, Main.U)
#>   %3 return %2
#>   %4 return false
