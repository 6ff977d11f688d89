# Packages: the active project, callbacks of `include`, and the check that precompilation makes.
using Test

@testset "the check of a package" begin
    mktempdir() do folder
        check(name, text) = begin
            write(joinpath(folder, string(name, ".jl")), text)
            messages = IOBuffer()
            thrown = try
                Base.compilecache(Base.identify_package(name), messages)
            catch e
                e
            end
            (thrown, String(take!(messages)))
        end
        pushfirst!(LOAD_PATH, folder)
        try
            @test Base.identify_package("NobodyHasThis") === nothing
            @test check("Sound", "# import Printf\nmodule Sound\nimport Printf\nend") == (nothing, "")
            thrown, text = check("Imports", "module Imports\nend\nif true\n    using Printf: @printf\nend")
            @test thrown isa ErrorException && startswith(thrown.msg, "Failed to precompile Imports")
            @test occursin("`using/import Printf` outside of a Module", text)
            thrown, text = check("Other", "module Another\nend")
            @test thrown isa ErrorException && occursin("expected module `Other`", text)
        finally
            popfirst!(LOAD_PATH)
        end
    end
end

@testset "callbacks" begin
    mktempdir() do folder
        file = joinpath(folder, "included.jl")
        write(file, "included_value = 5")
        seen = Any[]
        push!(Base.include_callbacks, (m, path) -> push!(seen, (m, path)))
        try
            Base.include(Main, file)
        finally
            pop!(Base.include_callbacks)
        end
        @test seen == [(Main, file)]
    end
    changes = Ref(0)
    push!(Base.active_project_callbacks, () -> changes[] += 1)
    push!(Base.active_project_callbacks, () -> error("out of order"))
    @test_logs (:error, r"callback .* failed") Base.set_active_project(nothing)
    pop!(Base.active_project_callbacks)
    Base.set_active_project(nothing)
    pop!(Base.active_project_callbacks)
    @test changes[] == 2
end

baremodule Renames
using Base: @deprecate_binding
export fresh
global fresh = 1
@deprecate_binding stale fresh
end
module Uses
using ..Renames
end

@testset "names and methods" begin
    brought = names(Uses; usings = true)
    @test :fresh in brought && !(:stale in brought)
    @test :stale in names(Uses; usings = true, all = true)
    nullary() = 1
    @test length(methods(nullary, ())) == 1
    @test_throws "opening file or folder" include_dependency("/nowhere/to/be/found")
end
