# The type that a branch tests for is the type of the variable behind the branch: in each way the call has one target.
size_of(x) = x isa Int ? x + 1 : x isa Float64 ? 2.0 * x : 0

#: infer 'size_of(Union{Int64, Float64})'
