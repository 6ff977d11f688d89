# `@sprintf` in all the forms that C has: conversions, flags, widths, precisions.
using Printf, Test
@testset "integers" begin
    @test @sprintf("%d|%i|%u", 1, -2, 3) == "1|-2|3" && @sprintf("%5d|%-5d|%05d|%+d", 42, 42, 42, 42) == "   42|42   |00042|+42"
    @test @sprintf("%x %X %o %#x", 255, 255, 8, 255) == "ff FF 10 0xff" && @sprintf("%3d%%", 50) == " 50%"
    @test @sprintf("%*d", 4, 7) == "   7" && @sprintf("% d", 5) == " 5" && @sprintf("%.3d", 5) == "005"
end
@testset "floats" begin
    @test @sprintf("%f %.2f %8.3f|%-8.1f|", 1.5, 3.14159, 2.71828, 0.25) == "1.500000 3.14    2.718|0.2     |"
    @test @sprintf("%e %.2E", 12345.678, 0.00012) == "1.234568e+04 1.20E-04"
    @test @sprintf("%g %g %g %g", 100000.0, 1e6, 1e-5, 0.5) == "100000 1e+06 1e-05 0.5"
    @test @sprintf("%08.2f %+.1f %.0f", -3.14159, 2.0, 2.5) == "-0003.14 +2.0 2"
    @test @sprintf("%f %5.1f %d", Inf, NaN, 3.0) == "Inf   NaN 3" && @sprintf("%.10f", 0.1) == "0.1000000000"
    # Capitals are for digits and the letter of the exponent; the point stays with `#`.
    @test @sprintf("%F %E %G %5F|%+F", NaN, Inf, -Inf, Inf, NaN) == "NaN Inf -Inf   Inf|+NaN"
    @test @sprintf("%#.0e %#.0f %#.0g %#.0e", 1.0, 2.0, 3.0, 0.0) == "1.e+00 2. 3. 0.e+00"
    @test @sprintf("%#.0e %F %#.*f", big"1", big"1.5", 0, 2.0) == "1.e+00 1.500000 2."
    @test_throws MethodError @sprintf("%x", 'a')
end
@testset "text" begin
    @test @sprintf("%s|%5s|%-5s|%.2s", "ab", "ab", "ab", "abc") == "ab|   ab|ab   |ab" && @sprintf("%c%c", 'x', 65) == "xA"
    @test @sprintf("%s %s", [1, 2], :sym) == "[1, 2] sym"
    @test sprint(io -> @printf(io, "%d-%s", 1, "a")) == "1-a"
    @test Printf.format(Printf.Format("%d %d"), 1, 2) == "1 2"
    @test_throws ArgumentError Printf.format(Printf.Format("%d"), 1, 2)
end
