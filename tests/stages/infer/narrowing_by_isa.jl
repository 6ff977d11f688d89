# The type that a branch tests for is the type of the variable behind the branch: in each way the call has one target.
size_of(x) = x isa Int ? x + 1 : x isa Float64 ? 2.0 * x : 0

#: infer 'size_of(Union{Int64, Float64})'
#> returns Union{Float64, Int64}
#> throws Union{}
#> promises consistent effect_free nothrow terminates inaccessible_mem_only noub no_new_object no_argument_reads no_argument_writes no_identity noub_unless_inbounds notaskstate nonoverlayed nortcall
#> size_of(_0::typeof(size_of), _1::Union{Float64, Int64})::Union{Float64, Int64}
#> bb0:
#>   %0 = Core.isa(_1, Int64)::Bool
#>   branch %0 ? bb1 : bb2
#> bb1:
#>   %2 = π (_1)::Int64
#>   %3 = invoke +(+, %2, 1)::Int64
#>   return %3
#> bb2:
#>   %5 = π (_1)::Float64
#>   goto bb3
#> bb3:
#>   %7 = invoke *(*, 2.0, %5)::Float64
#>   return %7
