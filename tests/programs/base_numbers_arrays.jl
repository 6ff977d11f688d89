# Numbers, arrays, broadcasting, iterators, linear algebra.
# Each line: an expression and the value, of the same type, that Julia gives.
using Test

macro t(a, b)
    quote
        @test isequal($(esc(a)), $(esc(b)))
        @test typeof($(esc(a))) === typeof($(esc(b)))
    end
end
macro throws(T, a)
    :(@test_throws $(esc(T)) $(esc(a)))
end

A = [1 2 3; 4 5 6]
@t A[2, 3] 6
@t A[2, :] [4, 5, 6]
@t A[:, 1:2] [1 2; 4 5]
@t A[:] [1, 4, 2, 5, 3, 6]
@t A[end] 6
@t A[end, 1] 4
@t A[CartesianIndex(1, 2)] 2
@t A[A .> 3] [4, 5, 6]
@t A[[1, 3]] [1, 2]
@t A[1, [true, false, true]] [1, 3]
@t size(A) (2, 3)
@t size(A, 1) 2
@t axes(A, 2) Base.OneTo(3)
@t ndims(A) 2
@t length(A) 6
@t eltype(A) Int
@t sum(A) 21
@t sum(A, dims = 1) [5 7 9]
@t sum(A; dims = 2) reshape([6, 15], 2, 1)
@t maximum(A, dims = 2) reshape([3, 6], 2, 1)
@t prod(A) 720
@t sum(x -> x^2, A) 91
@t count(isodd, A) 3
@t extrema(A) (1, 6)
@t argmax([3, 9, 2]) 2
@t findmax([3, 9, 2]) (9, 2)
@t findall(x -> x > 4, [3, 9, 5]) [2, 3]
@t findfirst(x -> x > 4, [3, 9, 5]) 2
@t cumsum([1, 2, 3]) [1, 3, 6]
@t cumsum(A, dims = 2) [1 3 6; 4 9 15]
@t accumulate(max, [1, 3, 2]) [1, 3, 3]
@t reverse([1, 2, 3]) [3, 2, 1]
@t reverse(A, dims = 1) [4 5 6; 1 2 3]
@t sort([3, 1, 2]) [1, 2, 3]
@t sort([3, 1, 2], rev = true) [3, 2, 1]
@t sort(["b", "a"]) ["a", "b"]
@t sort([3, 1, 2], by = x -> -x) [3, 2, 1]
@t sortperm([3, 1, 2]) [2, 3, 1]
@t sort(collect(50:-1:1)) collect(1:50)
@t unique([1, 2, 1]) [1, 2]
@t vcat([1, 2], [3]) [1, 2, 3]
@t hcat([1, 2], [3, 4]) [1 3; 2 4]
@t [A; A] [1 2 3; 4 5 6; 1 2 3; 4 5 6]
@t [A A] [1 2 3 1 2 3; 4 5 6 4 5 6]
@t cat([1, 2], [3, 4], dims = 3) reshape([1, 2, 3, 4], 2, 1, 2)
@t Float64[1 2; 3 4] [1.0 2.0; 3.0 4.0]
@t [1, 2.5] [1.0, 2.5]
@t [] Any[]
@t Int[] Int64[]
@t repeat([1, 2], 2) [1, 2, 1, 2]
@t repeat([1, 2], inner = 2) [1, 1, 2, 2]
@t reshape(1:6, 2, 3)[2, 2] 4
@t reshape(A, :) [1, 4, 2, 5, 3, 6]
@t reshape(A, 3, :) [1 5; 4 3; 2 6]
@t vec(A) [1, 4, 2, 5, 3, 6]
@t permutedims(A) [1 4; 2 5; 3 6]
@t permutedims(reshape(1:8, 2, 2, 2), (3, 1, 2))[2, 1, 1] 5
@t collect(A') [1 4; 2 5; 3 6]
@t collect(transpose(A)) [1 4; 2 5; 3 6]
@t A * [1, 1, 1] [6, 15]
@t A * A' [14 32; 32 77]
@t [1 2; 3 4]^2 [7 10; 15 22]
@t [1, 2, 3]' * [1, 2, 3] 14
@t [1, 2] * [3 4] [3 4; 6 8]
@t [2.0 0; 0 4] \ [2, 4] [1.0, 1.0]
@t inv([2.0 0; 0 4]) [0.5 0.0; 0.0 0.25]
@t Base.dot([1, 2], [3, 4]) 11
@t Base.norm([3, 4]) 5.0
@t Base.cross([1, 0, 0], [0, 1, 0]) [0, 0, 1]
@t A .+ 1 [2 3 4; 5 6 7]
@t A .* A [1 4 9; 16 25 36]
@t A .+ [10, 20] [11 12 13; 24 25 26]
@t A .+ [1 2 3] [2 4 6; 5 7 9]
@t sqrt.([1, 4]) [1.0, 2.0]
@t (x -> x + 1).([1, 2]) [2, 3]
@t [1, 2] .^ 2 [1, 4]
@t 2 .^ [1, 2] [2, 4]
@t max.([1, 5], [3, 2]) [3, 5]
@t string.([1, 2]) ["1", "2"]
@t ([1, 2] .== [1, 3]) BitVector([true, false])
@t broadcast(+, [1, 2], 1) [2, 3]
@t Int.([1.0, 2.0]) [1, 2]
@t round.(Int, [1.2, 2.7]) [1, 3]
@t (1:3) .^ 2 [1, 4, 9]
@t [1, 2] + [3, 4] [4, 6]
@t [1, 2] * 2 [2, 4]
@t 2A [2 4 6; 8 10 12]
@t A / 2 [0.5 1.0 1.5; 2.0 2.5 3.0]
@t -A [-1 -2 -3; -4 -5 -6]
B = copy(A)
B .= 0
@t B zeros(Int, 2, 3)
B .+= A
@t B A
B[1, :] .= 9
@t B [9 9 9; 4 5 6]
B[:, 1] = [7, 8]
@t B [7 9 9; 8 5 6]
@. B = A * 2 + 1
@t B [3 5 7; 9 11 13]
V = view(A, 1, :)
@t sum(view(A, :, 2:3)) 16
@t size(view(A, 1:2, 2)) (2,)
@t (@view A[1, end]) fill(3)[] == 3 ? (@view A[1, end]) : 0
@t [x for x in A if x > 3] [4, 5, 6]
@t [i + j for i in 1:2, j in 1:3] [2 3 4; 3 4 5]
@t collect(x^2 for x in 1:3) [1, 4, 9]
@t sum(x for x in 1:4) 10
@t [(i, j) for i in 1:2 for j in 1:i] [(1, 1), (2, 1), (2, 2)]
@t Float32[x for x in 1:2] Float32[1, 2]
@t map(+, [1, 2], [3, 4]) [4, 6]
@t map(x -> x > 1, [1, 2]) [false, true]
@t reduce(+, [1, 2, 3]) 6
@t reduce(max, [1, 5]; init = 7) 7
@t mapreduce(x -> x^2, +, [1, 2, 3]) 14
@t foldl(-, [10, 3, 2]) 5
@t zip([1, 2], ['a', 'b']) |> collect [(1, 'a'), (2, 'b')]
@t collect(enumerate(['a', 'b'])) [(1, 'a'), (2, 'b')]
@t collect(Iterators.take(1:10, 3)) [1, 2, 3]
@t collect(Iterators.partition(1:5, 2)) [1:2, 3:4, 5:5]
@t collect(Iterators.product(1:2, 3:4)) [(1, 3) (1, 4); (2, 3) (2, 4)]
@t collect(Iterators.flatten([[1, 2], [3]])) [1, 2, 3]
@t first([5, 6]) 5
@t last([5, 6]) 6
@t isempty([]) true
@t 2 in [1, 2] true
@t issorted([1, 2, 3]) true
@t circshift([1, 2, 3], 1) [3, 1, 2]
@t fill(7, 2) [7, 7]
@t zeros(2) [0.0, 0.0]
@t ones(Int, 2, 2) [1 1; 1 1]
@t similar([1, 2], Float64) |> length 2
@t (a = [1, 2]; push!(a, 3); a) [1, 2, 3]
@t (a = [1, 2]; pop!(a); a) [1]
@t (a = [1, 2]; pushfirst!(a, 0); a) [0, 1, 2]
@t (a = [1, 2, 3]; popfirst!(a); push!(a, 9); a) [2, 3, 9]
@t (a = [1, 2]; append!(a, [3, 4]); a) [1, 2, 3, 4]
@t (a = [1, 3]; insert!(a, 2, 2); a) [1, 2, 3]
@t (a = [1, 2, 3]; deleteat!(a, 2); a) [1, 3]
@t (a = [1, 2]; resize!(a, 3); length(a)) 3
@t (a = [1, 2]; empty!(a); a) Int[]
@t copyto!(zeros(3), [1, 2]) [1.0, 2.0, 0.0]
@t fill!([1, 2], 5) [5, 5]
@t Array([1, 2]) [1, 2]
@t Vector{Float64}([1, 2]) [1.0, 2.0]
@t Matrix{Int}(undef, 2, 3) |> size (2, 3)
@t eachindex([1, 2, 3]) Base.OneTo(3)
@t [1, 2] == [1.0, 2.0] true
@t isapprox([1.0, 2.0], [1.0, 2.0 + 1e-12]) true
@t ([1.0, 2.0] ≈ [1.0, 2.0]) true
@t dropdims(ones(1, 2), dims = 1) [1.0, 1.0]
@t selectdim(A, 1, 2) == [4, 5, 6] true
@t [sum(c) for c in eachcol(A)] [5, 7, 9]
@t [sum(r) for r in eachrow(A)] [6, 15]
@t mapslices(sum, A, dims = 1) [5 7 9]
@t reinterpret(UInt32, Float32[1]) == UInt32[0x3f800000] true
@t reinterpret(Float32, UInt64[0x3f8000003f800000]) == Float32[1, 1] true
@t collect(LinearIndices(A)) [1 3 5; 2 4 6]
@t stack([[1, 2], [3, 4]]) [1 3; 2 4]
@t any([false, true]) true
@t all(isodd, [1, 3]) true
@t diff([1, 4, 9]) [3, 5]
@t [1 2; 3 4][:, end] [2, 4]
@t A[1, :] .+ A[2, :] [5, 7, 9]
@t Base.tr([1 2; 3 4]) 5
@t filter(isodd, [1, 2, 3]) [1, 3]
@t replace([1, 2, 1], 1 => 9) [9, 2, 9]
@throws BoundsError A[3, 1]
@throws BoundsError A[1, 2, 3]
@throws DimensionMismatch [1, 2] + [1, 2, 3]
@throws DimensionMismatch [1, 2] .+ [1, 2, 3]
@throws DimensionMismatch A * A
@throws MethodError [1] + 1
@t sum(Float64[]) 0.0
@t trues(2) BitVector([true, true])
@t Dict(:a => 1)[:a] 1
@t get(Dict(1 => 2), 3, 4) 4
@t (d = Dict("x" => 1); d["y"] = 2; delete!(d, "x"); collect(keys(d))) ["y"]
@t length(Set([1, 1, 2])) 2
@t 1 in Set([1]) true
@t union([1, 2], [2, 3]) [1, 2, 3]
@t Dict(1 => "a") == Dict(1 => "a") true
@t merge(Dict(1 => 2), Dict(3 => 4))[3] 4
@t sort(collect(keys(Dict(3 => 1, 1 => 1)))) [1, 3]
@t (s = 0; for (k, v) in Dict(1 => 2, 3 => 4); s += k * v; end; s) 14
@t get!(Dict{Int, Int}(), 1, 5) 5
@t (d = Dict(i => i^2 for i in 1:100); d[77]) 5929
@t Ref(5)[] 5
@t (r = Ref(1); r[] = 2; r[]) 2
@t something(nothing, 3) 3
@t (x = (1, 2, 3); (a, b...) = x; b) (2, 3)
@t sizeof(Int32) 4
@t sizeof(Float64) 8
@t isbitstype(Int) true
@t isconcretetype(AbstractArray) false
@t fieldnames(typeof(1 // 2)) (:num, :den)
@t supertype(Int) Signed
@t typeof([1, 2]).name.name :Array
@t typeof([1, 2]).parameters[1] Int
@t nameof(Int) :Int64
@t Int <: Number true
@t eltype([1, 2]) Int
@t typejoin(Int, Float64) Real
@t hasmethod(sin, Tuple{Float64}) true
@t (f(x...) = length(x); f(1, 2)) 2
@t invoke(+, Tuple{Int, Int}, 1, 2) 3
@testset "conversion to what may be missing" begin
    a = Union{Float32,Missing}[1, 2, missing]
    @test a[1] === 1.0f0 && a[3] === missing
    v = Vector{Union{Missing,Float64}}(undef, 2)
    v[1] = 1
    v[2] = missing
    @test v[1] === 1.0 && isequal(v, [1.0, missing])
    @test convert(Union{Missing,Nothing,Int8}, 3.0) === Int8(3) && convert(Union{Missing,Int}, missing) === missing
    @test_throws MethodError convert(Union{Int,Missing}, "a")
end
@testset "complex over whole" begin
    @test (1 + 2im) // 3 === Complex(1 // 3, 2 // 3) && 3 // (1 + im) === Complex(3 // 2, -3 // 2)
end
