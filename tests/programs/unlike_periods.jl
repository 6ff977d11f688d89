# Periods of several types stand beside each other until they are asked to combine; instants take them one by one.
using Dates, Test

@testset "sums" begin
    @test Day(3) + Hour(2) isa CompoundPeriod && string(Day(3) + Hour(2)) == "3 days, 2 hours"
    @test string(Hour(1) - Minute(30)) == "1 hour, -30 minutes" && string(Hour(1) - Hour(1)) == "0 hours"
    @test string(Minute(5) + Year(1) + Minute(2)) == "1 year, 7 minutes"
    @test string(CompoundPeriod()) == "empty period" && isempty(Hour(1) + Minute(1) - Hour(1) - Minute(1))
    @test Hour(1) + Minute(60) == Hour(2) && Year(1) + Day(2) == Day(2) + Month(12) && Day(30) != Month(1)
    @test Day(0) == Month(0) && hash(Hour(1) + Minute(60)) == hash(CompoundPeriod(Hour(2)))
    @test Hour(1) + Minute(1) < Hour(2) && Month(1) < Day(40) + Hour(1)
end
@testset "canonical forms" begin
    @test string(canonicalize(CompoundPeriod(Hour(12), Hour(13)))) == "1 day, 1 hour"
    @test string(canonicalize(CompoundPeriod(Hour(-1), Minute(1)))) == "-59 minutes"
    @test string(canonicalize(CompoundPeriod(Month(1), Week(-2)))) == "1 month, -2 weeks"
    @test string(canonicalize(Minute(50000))) == "4 weeks, 6 days, 17 hours, 20 minutes"
    @test convert(Minute, Hour(1) + Minute(5)) == Minute(65)
end
@testset "instants" begin
    @test Date(2020, 1, 31) + (Month(1) + Day(2)) == Date(2020, 3, 2)
    @test DateTime(2020) - (Hour(1) + Minute(1)) == DateTime(2019, 12, 31, 22, 59)
    @test string(CompoundPeriod(Time(1, 2, 3))) == "1 hour, 2 minutes, 3 seconds"
end
