# A function that calls itself with larger and larger types runs out of stack, as any recursion without an end.
using Test

nested(x) = nested([x])
wrapped(x) = wrapped(Some(x))
referred(t::T) where {T} = referred(Ref(t))
tupled(x) = tupled((x,))
valued(::Val{N}) where {N} = valued(Val((N, N)))
@test_throws StackOverflowError nested(1)
@test_throws StackOverflowError wrapped(1)
@test_throws StackOverflowError referred(1)
@test_throws StackOverflowError tupled(1)
@test_throws StackOverflowError valued(Val(1))

# What no type may have stays a `TypeError`.
@test_throws TypeError Vector{"a"}
@test_throws TypeError Val{[1]}
@test_throws TypeError Val("a")
