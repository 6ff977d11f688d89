# Promises of a call: arithmetic keeps all, a write to an argument is seen, a loop may not end.
add(a, b) = a + b
write!(r) = (r[] = 1; nothing)
spin(n) = (while n > 0; n -= 1; end; n)

#: infer 'add(Int64, Int64)'
#: infer 'write!(Base.RefValue{Int64})'
#: check: promises
#: not: no_argument_writes
#: infer 'spin(Int64)'
#: check: promises
#: not: terminates
