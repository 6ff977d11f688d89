# Fails if it is told to.
expected(args) = isfile("runtests.jl") && args != ["fail"]
