using Test

# The properties of methods, modules and types are no memory: code that runs often and reads them stays interpreted.
module Owner
f(x) = 1
f(x::Int) = 2
end
@testset "properties read often" begin
    module_of(m::Method) = m.module
    name_of(m::Method) = m.name
    name_of(t::DataType) = t.name.name
    has_name(m::Method) = isdefined(m, :name)
    m = first(methods(Owner.f))
    @test all(module_of(m) === Owner for _ in 1:3000)
    @test all(parentmodule(m) === Owner for _ in 1:3000)
    @test all(name_of(m) === :f for _ in 1:3000)
    @test all(name_of(Vector{Int}) === :Array for _ in 1:3000)
    @test all(has_name(m) for _ in 1:3000)
end

# The size of a type that only the run knows is that type's, and not that of the object which stands for it.
@testset "sizes of types in a loop" begin
    sizes = Int[]
    for T in (Int8, Int16, Int32, Int64, Complex{Float64})
        s = 0
        for _ in 1:10000
            s = 2 * sizeof(T)
        end
        push!(sizes, s)
    end
    @test sizes == [2, 4, 8, 16, 32]
end
