# Dates: construction, parts, arithmetic that knows the calendar, text in both directions.
using Dates, Test
d = Date(2024, 2, 29)
@test (year(d), month(d), day(d)) == (2024, 2, 29) && Dates.value(Date(1, 1, 1)) == 1 && Dates.value(d) == 738945
@test d + Year(1) == Date(2025, 2, 28) && d + Month(12) == Date(2025, 2, 28) && d + Day(1) == Date(2024, 3, 1)
@test Date(2020, 1, 31) + Month(1) == Date(2020, 2, 29) && Date(2024, 3, 1) - d == Day(1) && d - Week(1) == Date(2024, 2, 22)
@test_throws ArgumentError Date(2023, 2, 29)
t = DateTime(2020, 1, 2, 3, 4, 5, 60)
@test (hour(t), minute(t), second(t), millisecond(t)) == (3, 4, 5, 60) && Date(t) == Date(2020, 1, 2)
@test t + Hour(21) == DateTime(2020, 1, 3, 0, 4, 5, 60) && DateTime(2020, 1, 2) - DateTime(2020, 1, 1) == Day(1)
@test string(t) == "2020-01-02T03:04:05.06" && repr(d) == "Date(\"2024-02-29\")" && string(Time(1, 2, 3)) == "01:02:03"
@test Dates.format(t, "yyyy-mm-dd HH:MM:SS") == "2020-01-02 03:04:05" && Dates.format(d, "e, d u yy") == "Thu, 29 Feb 24"
@test Date("2024-02-29") == d && DateTime("2020-01-02T03:04:05.06") == t && Date("29/2/2024", dateformat"d/m/y") == d
@test Date("20240229", "yyyymmdd") == d && tryparse(Date, "x") === nothing && DateTime("2 Mar 2020", "d u y") == DateTime(2020, 3, 2)
@test_throws ArgumentError Date("2024/02/29")
@test dayofweek(d) == Thursday && dayname(d) == "Thursday" && dayofyear(d) == 60 && week(Date(2021, 1, 3)) == 53 && isleapyear(2000)
@test Hour(1) + Minute(30) == Minute(90) && Day(1) == Hour(24) && Month(12) == Year(1) && Minute(90) > Hour(1)
@test 2 * Day(3) == Day(6) && div(Minute(7), Minute(2)) == 3 && Second(Minute(2)) == Second(120) && Dates.value(Millisecond(Second(1))) == 1000
@test_throws InexactError convert(Hour, Minute(90))
@test collect(Date(2020, 1, 30):Day(1):Date(2020, 2, 2)) == [Date(2020, 1, 30), Date(2020, 1, 31), Date(2020, 2, 1), Date(2020, 2, 2)]
@test length(Date(2020):Month(1):Date(2020, 12, 31)) == 12 && last(Date(2020):Week(1):Date(2020, 1, 20)) == Date(2020, 1, 15)
@test string(Day(1), ", ", Hour(2)) == "1 day, 2 hours" && repr(Day(2)) == "Day(2)"
@test floor(t, Hour) == DateTime(2020, 1, 2, 3) && firstdayofmonth(d) == Date(2024, 2, 1) && lastdayofmonth(d) == d
@test unix2datetime(0) == DateTime(1970) && datetime2unix(DateTime(1970, 1, 2)) == 86400 && abs(now() - unix2datetime(time())) < Second(5)
@test sort([d, Date(2020)])[1] == Date(2020) && Date(2020) < DateTime(2020, 1, 1, 1) && today() isa Date
