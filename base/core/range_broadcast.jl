# Broadcasts of ranges with numbers, which stay ranges.
import .Broadcast: broadcasted, DefaultArrayStyle

# Applies `f` to the elements and `g` to the step. Whole numbers keep a range between ends; the others move its reference.
move_range(f, g, r::AbstractRange, x) = range(f(first(r)), step = g(step(r)), length = length(r))
move_range(f, g, r::StepRangeLen{T}, x) where {T} = StepRangeLen{typeof(f(T(r.ref)))}(f(r.ref), g(r.step), length(r), r.offset)
move_range(f, g, r::LinRange, x) = LinRange(f(r.start), f(r.stop), length(r))
move_range(f, g, r::OrdinalRange, ::Integer) = range(f(first(r)), f(last(r)), step = g(step(r)))
move_range(f, ::typeof(identity), r::AbstractUnitRange, ::Integer) = f(first(r)):f(last(r))
move_range(f, ::typeof(identity), r::AbstractUnitRange, ::Real) = range(f(first(r)), length = length(r))
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), r::AbstractRange) = r
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::AbstractRange) = move_range(-, negate, r, nothing)
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::OrdinalRange) = move_range(-, negate, r, 0)
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), r::AbstractRange, x::Number) = move_range(Fix2(+, x), identity, r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), x::Number, r::AbstractRange) = move_range(Fix1(+, x), identity, r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::AbstractRange, x::Number) = move_range(Fix2(-, x), identity, r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), x::Number, r::AbstractRange) = move_range(Fix1(-, x), negate, r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(+), r::AbstractRange, s::AbstractRange) = r + s
broadcasted(::DefaultArrayStyle{1}, ::typeof(-), r::AbstractRange, s::AbstractRange) = r - s

# Products. The factor may be zero: only a range told by its length allows that. Floats find their fractions again.
scale_range(f, r::AbstractRange, x) = StepRangeLen(f(first(r)), f(step(r)), length(r))
scale_range(f, r::Union{StepRangeLen, LinRange}, x) = move_range(f, f, r, nothing)
scale_range(f, r::OrdinalRange, ::AbstractFloat) = range_start_step_length(f(first(r)), f(step(r)), length(r))
broadcasted(::DefaultArrayStyle{1}, ::typeof(*), x::Number, r::AbstractRange) = scale_range(Fix1(*, x), r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(*), r::AbstractRange, x::Number) = scale_range(Fix2(*, x), r, x)
broadcasted(::DefaultArrayStyle{1}, ::typeof(/), r::AbstractRange, x::Number) = move_range(Fix2(/, x), Fix2(/, x), r, nothing)
broadcasted(::DefaultArrayStyle{1}, ::typeof(\), x::Number, r::AbstractRange) = move_range(Fix1(\, x), Fix1(\, x), r, nothing)

broadcasted(::DefaultArrayStyle{1}, ::typeof(float), r::AbstractRange) = float(r)
broadcasted(::DefaultArrayStyle{1}, ::typeof(big), r::UnitRange) = big(r.start):big(last(r))
broadcasted(::DefaultArrayStyle{1}, ::typeof(big), r::StepRange) = big(r.start):big(r.step):big(last(r))
broadcasted(::DefaultArrayStyle{1}, ::typeof(big), r::StepRangeLen) = StepRangeLen(big(r.ref), big(r.step), length(r), r.offset)
broadcasted(::DefaultArrayStyle{1}, ::typeof(big), r::LinRange) = LinRange(big(r.start), big(r.stop), length(r))
