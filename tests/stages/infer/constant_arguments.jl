# A call with constants is inferred for them: the branch not taken is no part of the result.
pick(flag, x) = flag ? x : string(x)
taken(x) = pick(true, x)

#: infer 'taken(Int64)'
#> returns Int64
#> throws Union{}
#> promises consistent effect_free nothrow terminates inaccessible_mem_only noub no_new_object no_argument_reads no_argument_writes no_identity noub_unless_inbounds notaskstate nonoverlayed nortcall
#> taken(_0::typeof(taken), _1::Int64)::Int64
#> bb0:
#>   %0 = invoke pick(pick, true, _1)::Int64
#>   return %0
