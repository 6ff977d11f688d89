# What kiln does not do is an exception where control comes to it: code around it loads and runs.
using Test
by_call(x) = x > 0 ? x : ccall(:abs, Cint, (Cint,), x)
by_macro() = @ccall getpid()::Cint
of_address() = Base.cglobal(:environ)
@test by_call(2) == 2
@test_throws Base.UnsupportedError by_call(-2)
@test_throws Base.UnsupportedError by_macro()
@test_throws Base.UnsupportedError of_address()
