# A total function of constants is its value, and has no body.
fact(n) = n <= 1 ? 1 : n * fact(n - 1)
fact5() = fact(5)

#: infer 'fact5()'
#> returns Int64
#> always 120
#> throws Union{}
#> promises consistent effect_free nothrow terminates inaccessible_mem_only noub no_new_object no_argument_reads no_argument_writes no_identity noub_unless_inbounds notaskstate nonoverlayed nortcall
#> fact5(_0::typeof(fact5))::Int64
#> bb0:
#>   return 120
