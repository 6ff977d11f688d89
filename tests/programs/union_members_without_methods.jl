# A call whose argument is a union throws a MethodError for the members that no method takes, wherever they come in the union:
# in the interpreter, compiled, and in kernels.
using CUDA, Test

struct Circle; radius::Float64; end
struct Square; side::Float64; end
area(s::Square) = s.side^2
perimeter(s::Circle) = 2s.radius
total(f, shapes) = (sum = 0.0; for s in shapes; sum += f(s); end; sum)

next(x::Union{Int64,Nothing}) = x + 1
previous(x::Union{Nothing,Int64}) = 1 - x
some(i, n) = i > n ? nothing : i
last_of(f, n, m) = (k = 0; for i in 1:m; k = f(some(i, n)); end; k)

first_only(::Int8, y) = 1
third_only(::Float32, y) = 3
one_of_three(i) = i == 1 ? Int8(1) : i == 2 ? 0x0002 : 3.0f0
at_each(f, n) = (s = 0; for i in 1:n; s += f(one_of_three(1), i); end; s + f(one_of_three(n % 3 + 1), n))

@testset "on the host" begin
    for shapes in (Union{Circle,Square}[Circle(1.0), Square(2.0)], Union{Circle,Square}[Square(2.0), Circle(1.0)]), _ in 1:3
        @test_throws MethodError total(area, shapes)
        @test_throws MethodError total(perimeter, shapes)
    end
    @test total(area, Union{Circle,Square}[Square(2.0), Square(3.0)]) == 13
    for f in (next, previous), m in (10, 10_000)
        @test last_of(f, m, m) == f(m)
        @test_throws MethodError last_of(f, m - 1, m)
        @test_throws MethodError last_of(f, 0, m)
    end
    for n in (3000, 3001, 3002)
        if n % 3 == 0
            @test at_each(first_only, n) == n + 1
        else
            @test_throws MethodError at_each(first_only, n)
        end
        @test_throws MethodError at_each(third_only, n)
    end
end

areas!(y) = (i = threadIdx().x; y[i] = area(i > 1 ? Circle(y[i]) : Square(y[i])); return)
step!(y) = (i = threadIdx().x; y[i] = next(y[i] > 2 ? nothing : y[i]); return)
@testset "in kernels" begin
    y = CuArray([1, 2, 0])
    @cuda threads=3 step!(y)
    @test Array(y) == [2, 3, 1]
    @test_throws MethodError (@cuda threads=3 step!(y); synchronize())
    @test_throws MethodError (@cuda threads=4 areas!(CUDA.ones(Float64, 4)); synchronize())
end
