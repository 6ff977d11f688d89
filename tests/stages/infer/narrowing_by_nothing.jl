# `=== nothing` narrows like a test of the type, through `&&` and early returns.
function first_or_zero(x)
    x === nothing && return 0
    x + 1
end

#: infer 'first_or_zero(Union{Nothing, Int64})'
#> returns Int64
#> throws Union{}
#> promises consistent effect_free nothrow terminates inaccessible_mem_only noub no_new_object no_argument_reads no_argument_writes no_identity noub_unless_inbounds notaskstate nonoverlayed nortcall
#> first_or_zero(_0::typeof(first_or_zero), _1::Union{Nothing, Int64})::Int64
#> bb0:
#>   %0 = Core.===(_1, nothing)::Bool
#>   branch %0 ? bb1 : bb2
#> bb1:
#>   return 0
#> bb2:
#>   %3 = π (_1)::Int64
#>   %4 = invoke +(+, %3, 1)::Int64
#>   return %4
