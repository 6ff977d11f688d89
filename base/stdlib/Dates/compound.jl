# Sums of periods of several types, which convert into each other only where that is asked for.

# The periods have different types, are not zero, and stand from the longest type to the shortest.
struct CompoundPeriod <: AbstractTime
    periods::Vector{Period}
    function CompoundPeriod(given::Vector{<:Period})
        periods = Period[]
        for (name, _) in PERIODS
            T = getglobal(Dates, name)
            total = 0
            for p in given
                p isa T && (total += value(p))
            end
            total == 0 || push!(periods, T(total))
        end
        new(periods)
    end
end
CompoundPeriod(ps::Period...) = CompoundPeriod(Period[ps...])
periods(c::CompoundPeriod) = c.periods

Base.:+(p::Period, q::Period) = CompoundPeriod(p, q)
Base.:+(c::CompoundPeriod, p::Period) = CompoundPeriod(Period[c.periods; p])
Base.:+(p::Period, c::CompoundPeriod) = c + p
Base.:+(c::CompoundPeriod, d::CompoundPeriod) = CompoundPeriod(Period[c.periods; d.periods])
Base.:+(c::CompoundPeriod) = c
Base.:-(c::CompoundPeriod) = CompoundPeriod(Period[-p for p in c.periods])
Base.:-(p::Period, q::Period) = p + -q
Base.:-(c::CompoundPeriod, p::Period) = c + -p
Base.:-(p::Union{Period, CompoundPeriod}, c::CompoundPeriod) = -c + p

# A length in nanoseconds, where months have their mean length: an order, not an amount.
mean_nanoseconds(p::FixedPeriod) = Int128(value(p)) * nanoseconds(typeof(p))
mean_nanoseconds(p::CalendarPeriod) = Int128(months(p)) * div(Int128(146097) * nanoseconds(Day), 4800)
mean_nanoseconds(c::CompoundPeriod) = mapreduce(mean_nanoseconds, +, c.periods; init = Int128(0))
Base.isless(c::CompoundPeriod, d::CompoundPeriod) = mean_nanoseconds(c) < mean_nanoseconds(d)
Base.isless(c::CompoundPeriod, p::Period) = c < CompoundPeriod(p)
Base.isless(p::Period, c::CompoundPeriod) = CompoundPeriod(p) < c

# An amount in periods of the types, the longest first, all with its sign.
function spread!(periods, amount, types, length_of)
    for T in types
        n = div(amount, length_of(T))
        amount -= n * length_of(T)
        n == 0 || push!(periods, T(n))
    end
    periods
end
canonicalize(p::Period) = canonicalize(CompoundPeriod(p))
function canonicalize(c::CompoundPeriod)
    of(K) = filter(p -> p isa K, c.periods)
    total(ps, f) = mapreduce(f, +, ps; init = Int128(0))
    periods = spread!(Period[], total(of(Union{Year, Month}), months), (Year, Month), months)
    append!(periods, of(Quarter))
    fixed = (Week, Day, Hour, Minute, Second, Millisecond, Microsecond, Nanosecond)
    CompoundPeriod(spread!(periods, total(of(FixedPeriod), mean_nanoseconds), fixed, nanoseconds))
end
Base.:(==)(c::CompoundPeriod, d::CompoundPeriod) = canonicalize(c).periods == canonicalize(d).periods
Base.:(==)(c::CompoundPeriod, p::Period) = c == CompoundPeriod(p)
Base.:(==)(p::Period, c::CompoundPeriod) = c == p
Base.hash(c::CompoundPeriod, h::UInt) = isempty(c.periods) ? hash(0, h) : foldl((h, p) -> hash(p, h), canonicalize(c).periods; init = h)
Base.isempty(c::CompoundPeriod) = isempty(c.periods)
Base.convert(::Type{CompoundPeriod}, p::Period) = CompoundPeriod(p)
Base.convert(::Type{T}, c::CompoundPeriod) where {T <: Period} =
    isconcretetype(T) ? mapreduce(p -> convert(T, p), +, c.periods; init = T(0)) : throw(MethodError(convert, (T, c)))
Base.print(io::IO, c::CompoundPeriod) = isempty(c) ? print(io, "empty period") : join(io, c.periods, ", ")
Base.show(io::IO, c::CompoundPeriod) = print(io, c)
