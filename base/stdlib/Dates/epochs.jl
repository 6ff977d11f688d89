# Instants as numbers from the beginnings of other calendars.

const DATEEPOCH = 0
"""
    Dates.datetime2epochms(d)

Milliseconds since the beginning of year 0; [`Dates.epochms2datetime`](@ref) is its inverse.
"""
datetime2epochms(d::DateTime) = value(d)
epochms2datetime(ms) = datetime_of(Int64(ms))
"""
    Dates.date2epochdays(d)

Days since the beginning of year 0.
"""
date2epochdays(d::Date) = value(d)
epochdays2date(n) = date_of(Int64(n))
# Days since the last day of the year before the first.
datetime2rata(d::TimeType) = days(d)
rata2datetime(n) = datetime_of(Int64(n) * DAY_MS)
# Julian days begin at noon.
const JULIANEPOCH = value(DateTime(-4713, 11, 24, 12))
"""
    datetime2julian(d)

Julian days, with fractions; `julian2datetime` is its inverse.
"""
datetime2julian(d::DateTime) = (value(d) - JULIANEPOCH) / DAY_MS
julian2datetime(n) = datetime_of(JULIANEPOCH + round(Int64, n * DAY_MS))
