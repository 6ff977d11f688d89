using Test

# More tasks than a session has stacks: the ones beyond wait until others end.
@testset "many tasks at a time" begin
    c = Channel{Int}(0)
    taken = Int[]
    @sync for i in 1:2200
        @async put!(c, i)
        @async push!(taken, take!(c))
    end
    @test sort(taken) == 1:2200
    count = 0
    @sync for i in 1:10_000
        @async (count += 1)
    end
    @test count == 10_000
end

# Where all that have begun wait for one that cannot begin, the program is told.
@testset "no stack is left" begin
    c = Channel{Int}(0)
    waiting = [@async(take!(c)) for _ in 1:5000]
    problem = try wait(waiting[end]) catch err err end
    @test problem isa ErrorException && occursin("fewer tasks at a time", problem.msg)
    close(c)
    yield()
    @test all(istaskfailed, waiting)
end

@testset "the pool of a channel's task" begin
    pool_of(; kws...) = take!(Channel{Symbol}(c -> put!(c, Threads.threadpool()); kws...))
    @test pool_of() === Threads.threadpool()
    @test pool_of(spawn = true) === :default
    @test pool_of(threadpool = :interactive) === :interactive
    @test_throws ArgumentError pool_of(threadpool = :other)
end

# A task begins outside of any file.
@testset "the file that a task reads" begin
    @test fetch(@async Base.source_path("none")) == "none"
    @test endswith(Base.source_path(), "many_tasks.jl")
    folder = mktempdir()
    path = joinpath(folder, "inner.jl")
    write(path, "Base.source_path()")
    @test fetch(@async include(path)) == path
    @test endswith(Base.source_path(), "many_tasks.jl")
end

# A `finally` that is left by a jump has handled the exception that it was entered with.
@testset "exceptions after a jump out of finally" begin
    function broken_out()
        while true
            try error("first") finally break end
        end
        length(current_exceptions())
    end
    function continued()
        counts = Int[]
        for i in 1:3
            push!(counts, length(current_exceptions()))
            try
                i < 3 && error("again")
            finally
                i < 3 && continue
            end
        end
        counts
    end
    function jumped()
        try
            error("first")
        finally
            for i in 1:2
                i == 2 && @goto done
            end
            @label done
            return length(current_exceptions())
        end
    end
    @test broken_out() == 0
    @test continued() == [0, 0, 0]
    @test jumped() == 1
    @test isempty(current_exceptions())
end
