# Promises of a call: arithmetic keeps all, a write to an argument is seen, a loop may not end.
add(a, b) = a + b
write!(r) = (r[] = 1; nothing)
spin(n) = (while n > 0; n -= 1; end; n)

#: infer 'add(Int64, Int64)'
#> returns Int64
#> throws Union{}
#> promises consistent effect_free nothrow terminates inaccessible_mem_only noub no_new_object no_argument_reads no_argument_writes no_identity noub_unless_inbounds notaskstate nonoverlayed nortcall
#> add(_0::typeof(add), _1::Int64, _2::Int64)::Int64
#> bb0:
#>   %0 = invoke +(+, _1, _2)::Int64
#>   return %0
#: infer 'write!(Base.RefValue{Int64})'
#: check: promises
#: not: no_argument_writes
#: infer 'spin(Int64)'
#: check: promises
#: not: terminates
