# What most programs begin with, done when the library is loaded: calls resolved here are in the snapshot, and a program
# that makes them does not resolve them again. It leaves nothing else behind.
let n = 3, io = IOBuffer()
    for x in (n, 2.5, 2.5f0, "text", 'c', true, nothing, :name, 1:n, (1, 2.5), [1, 2, 3], [1.5, 2.5], Float32[1, 2], [1 2; 3 4],
              ["a", "b"], 0x01, Int32(1), 1 => 2, Dict(1 => 2), Float32, Int)
        print(io, x)
        println(io, "x = ", x)
        show(io, x)
        show(io, MIME"text/plain"(), x)
        string(x), repr(x), "$x and $x"
    end
    String(take!(io))
    print("")
    print(stdout, "", "")
    for v in ([1, 2, 3], [1.5, 2.5, 3.5], Float32[1, 2, 3])
        v .== v, v .+ 1, v .* v, 2 .* v, all(v .== v), any(v .> 1), sum(v), maximum(v), minimum(v), length(v), size(v), v[1], v[end]
        copy(v), v == v, isempty(v), collect(v), [x + 1 for x in v], map(x -> x + 1, v), sum(x -> x * x, v), v ≈ v, reverse(v), sort(v)
        push!(v, v[1])
        pop!(v)
        for x in v
            x + x
        end
        for (i, x) in enumerate(v)
            i * x
        end
        for i in eachindex(v)
            v[i] = v[i]
        end
        extrema(v), similar(v), zero(v), fill!(similar(v), v[1]), v[1:2]
    end
    # A broadcast asks inference what it makes, which does not answer here; programs go on like this.
    for v in ([1, 2, 3], [1.5, 2.5, 3.5], Float32[1, 2, 3])
        T = typeof(v[1])
        for (R, b) in ((Bool, Broadcast.broadcasted(==, v, v)), (Bool, Broadcast.broadcasted(==, v, v[1])), (Bool, Broadcast.broadcasted(>, v, v[1])),
                       (T, Broadcast.broadcasted(+, v, v)), (T, Broadcast.broadcasted(-, v, v)), (T, Broadcast.broadcasted(*, v, v)), (T, Broadcast.broadcasted(+, v, v[1])),
                       (T, Broadcast.broadcasted(*, v[1], v)), (T, Broadcast.broadcasted(identity, v)))
            bc = Broadcast.instantiate(b)
            made = isconcretetype(R) ? copyto!(similar(bc, R), bc) : nothing
            R === Bool && (all(made), any(made), count(made), sum(made))
        end
    end
    redirect_stdout(devnull)
    for v in ([1, 2, 3], [1.5, 2.5, 3.5], Float32[1, 2, 3], Int32[1, 2, 3], [true, false], [1 2; 3 4], [1.5 2.5; 3.5 4.5], Float32[1 2; 3 4], (1, 2.5), 1, 1.5, 1.5f0,
              true, "text", :name, nothing)
        println(v)
        println("x = ", v)
        print(v, '\n')
        display(v)
    end
    redirect_stdout(stdout)
    for T in (Int, Float64, Float32, UInt8, Bool)
        zeros(T, n), ones(T, n), zeros(T, n, n), fill(one(T), n), Vector{T}(undef, n), Matrix{T}(undef, n, n), Array{T}(undef, n), T(1), zero(T), one(T)
    end
    cld(n, 2), div(n, 2), n ÷ 2, n % 2, mod(n, 2), n / 2, n^2, 2.0^n, sqrt(2.0), abs(-n), min(1, 2), max(1.0, 2.0), round(Int, 2.4), floor(Int, 2.4)
    isempty(ARGS), parse(Int, "12"), parse(Float64, "1.5"), split("a b"), join(["a", "b"], ", "), strip(" a ")
    collect(1:n), collect(1:2:n), (1:n)[2], length(1:n), sum(1:n), time(), time_ns(), (time_ns() - time_ns()) / 1e9
    try
        error("x")
    catch e
        sprint(showerror, e)
    end
end
