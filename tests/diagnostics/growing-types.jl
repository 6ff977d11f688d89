# A function that calls itself with ever larger types has no last specialization.
using CUDA
@generated count_up(::Val{N}) where {N} = :(count_up(Val($(N + 1))))
pair_up(x, n) = n == 0 ? 1 : pair_up((x, x), n - 1)
generated!(o) = (o[1] = count_up(Val(1)); return)
paired!(o) = (o[1] = pair_up(1, o[1]); return)
discarded!(o) = (count_up(Val(1)); return)
unused!(o) = (x = count_up(Val(1)); o[1] = 1; return)
launch(k) = try @cuda k(CUDA.zeros(Int, 1)) catch error; showerror(stderr, error); println(stderr) end
foreach(launch, (generated!, paired!, discarded!, unused!))
exit(1)
