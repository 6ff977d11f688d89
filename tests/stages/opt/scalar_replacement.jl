# A structure that does not leave the function is its fields; a mutable one too, wherever it is written.
struct Complexed
    re::Float64
    im::Float64
end
times(a, b) = Complexed(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
norm2(x, y) = (z = times(Complexed(x, y), Complexed(x, -y)); z.re + z.im)

mutable struct Counter
    n::Int
end
counted(flag) = (c = Counter(0); flag && (c.n += 2); c.n + 1)

#: typed 'norm2(Float64, Float64)'
#: not: new(
#: not: getfield

#: typed 'counted(Bool)'
#> counted(_0::typeof(counted), _1::Bool)::Int64
#> bb0:
#>   branch _1 ? bb1 : bb2
#> bb1:
#>   goto bb2
#> bb2:
#>   %2 = φ (bb0 => 0, bb1 => 2)::Int64
#>   %3 = Intrinsics.add_int(%2, 1)::Int64
#>   return %3
