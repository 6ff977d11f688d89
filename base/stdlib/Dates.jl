# Dates and times: instants as counts of days and milliseconds, periods, their arithmetic, and their text.
module Dates

export AbstractTime, Period, DatePeriod, TimePeriod, TimeType, Date, DateTime, Time, DateFormat, Year, Quarter, Month, Week, Day,
    Hour, Minute, Second, Millisecond, Microsecond, Nanosecond, now, today, year, quarter, month, week, day, hour, minute, second,
    millisecond, microsecond, nanosecond, dayofweek, dayofyear, dayname, dayabbr, monthname, monthabbr, daysinmonth, daysinyear, isleapyear, firstdayofmonth,
    lastdayofmonth, firstdayofyear, lastdayofyear, yearmonth, yearmonthday, monthday, datetime2unix, unix2datetime, @dateformat_str,
    Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, January, February, March, April, May, June, July, August,
    September, October, November, December, CompoundPeriod, canonicalize, ISODateTimeFormat, ISODateFormat, ISOTimeFormat, RFC1123Format,
    datetime2julian, julian2datetime, datetime2rata, rata2datetime

include("Dates/periods.jl")
include("Dates/compound.jl")
include("Dates/instants.jl")
include("Dates/text.jl")
include("Dates/tokens.jl")
include("Dates/parsing.jl")
include("Dates/epochs.jl")

end
