# Formats of dates: their tokens, writing and reading, with the errors of texts that do not fit.
using Dates, Test
t = DateTime(2020, 1, 2, 3, 4, 5, 60)
@test Dates.format(t, "yyyy-mm-dd HH:MM:SS.sss e E u U p I") == "2020-01-02 03:04:05.060 Thu Thursday Jan January AM 3"
@test DateTime("20200102", dateformat"yyyymmdd") == DateTime(2020,1,2)
@test tryparse(Date, "2020-13-01") === nothing
@test_throws ArgumentError Date("2020-13-01")
@test DateTime("3:04 PM", "I:MM p") == DateTime(1,1,1,15,4)
@test Date("Apr 5 1999", "u d y") == Date(1999,4,5)
@test sprint(show, dateformat"y-m\d") == "dateformat\"y-m\\d\""
@test Dates.parse_components("1 2", dateformat"d m") == [Day(1), Month(2)]
@test datetime2julian(DateTime(2000,1,1,12)) == 2451545.0
@test Dates.epochms2datetime(Dates.datetime2epochms(t)) == t
@test dateformat"yyyymmdd".tokens[1] === Dates.DatePart{'y'}(4, true)
@test DateTime("2020-01-01T24:00") == DateTime(2020,1,2)
@test_throws "Expected directive DatePart(mm) at char 6" Date("2020-x", "yyyy-mm")
@test_throws "Found extra characters" Date("2020-01-02x")
@test DateTime("2020-01") == DateTime(2020) && Time("12:30 AM", "I:M p") == Time(0, 30)
# A language of one's own, and a letter of one's own.
Dates.LOCALES["short"] = Dates.DateLocale(string.('a':'l'), string.('a':'l'), string.(1:7), string.(1:7))
@test Dates.format(t, "U"; locale = "short") == "a" && Date("c 2020", DateFormat("U yyyy", "short")) == Date(2020, 3)
@test Dates.validargs(Date, 2020, 2, 30) == ArgumentError("Day: 30 out of range (1:29)")
