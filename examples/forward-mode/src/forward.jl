# Derivatives in kernels: `value_and_derivative(f, x)` is `f(x)` and its derivative there, which the compiler registered as
# `forward_mode` makes from the typed code of `f`.
module ForwardMode

using Base.Device: Owned, deferred, deferred_call
const OWNER = Owned{:forward_mode}()

@inline function value_and_derivative(f, x::T) where {T<:Union{Float32,Float64}}
    pointer = deferred(OWNER, f, x, one(x))
    return deferred_call(pointer, Tuple{T,T}, f, x, one(x))
end
@inline derivative(f, x) = value_and_derivative(f, x)[2]

# What is made of arithmetic on bits has no derivative that arithmetic tells. In the code that is derived these functions
# are calls of `known`, which the compiler knows: the value is the function's, the derivative there is `slope`.
Base.Experimental.@MethodTable RULES
@noinline known(f, x::T) where {T} = (Base.donotdelete(x); Base.compilerbarrier(:const, x)::T)
for (f, T) in Iterators.product((:sin, :cos, :exp, :log, :tanh), (:Float32, :Float64))
    @eval Base.Experimental.@overlay RULES Base.$f(x::$T) = known($f, x)
end
slope(::typeof(sin), x, y) = cos(x)
slope(::typeof(cos), x, y) = -sin(x)
slope(::typeof(exp), x, y) = y
slope(::typeof(log), x, y) = one(x) / x
slope(::typeof(tanh), x, y) = one(x) - y * y

end
