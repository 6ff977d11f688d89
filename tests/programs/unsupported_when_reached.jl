# What kiln does not do is an exception where control comes to it: code around it loads and runs.
using Test
by_call(x) = x > 0 ? x : ccall(:abs, Cint, (Cint,), x)
by_macro() = @ccall getpid()::Cint
with_callback() = @cfunction(+, Cint, (Cint, Cint))
huge() = 123456789012345678901234567890123456789012345678901234567890
@test by_call(2) == 2
@test_throws Base.UnsupportedError by_call(-2)
@test_throws Base.UnsupportedError by_macro()
@test_throws Base.UnsupportedError with_callback()
@test_throws Base.UnsupportedError huge()
@test_throws Base.UnsupportedError big(2)
@test_throws "unsupported: `BigInt`" BigInt(3)
@test 123456789012345678901234567890 isa Int128 && !(1 isa BigInt)
