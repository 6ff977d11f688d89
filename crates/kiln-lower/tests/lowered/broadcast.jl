# Nested dot calls fuse: one tree, made real once.
sin.(x) .+ 2 .* y
#>   %0 Base.broadcasted(Main.sin, Main.x)
#>   %1 Base.broadcasted(Main.*, 2, Main.y)
#>   %2 Base.broadcasted(Main.+, %0, %1)
#>   %3 Base.materialize(%2)
#>   %4 return %3

# Calls without a dot are evaluated first.
f.(g(x))
#>   %0 Main.g(Main.x)
#>   %1 Base.broadcasted(Main.f, %0)
#>   %2 Base.materialize(%1)
#>   %3 return %2

x .= f.(y)
#>   %0 Base.broadcasted(Main.f, Main.y)
#>   %1 Base.materialize!(Main.x, %0)
#>   %2 return %1

# What is no dot call is copied elementwise.
x .= y
#>   %0 Base.broadcasted(Base.identity, Main.y)
#>   %1 Base.materialize!(Main.x, %0)
#>   %2 return %1

x[1:2] .= 0
#>   %0 Main.:(1, 2)
#>   %1 Base.dotview(Main.x, %0)
#>   %2 Base.broadcasted(Base.identity, 0)
#>   %3 Base.materialize!(%1, %2)
#>   %4 return %3

a.b .= c
#>   %0 Base.dotgetproperty(Main.a, :b)
#>   %1 Base.broadcasted(Base.identity, Main.c)
#>   %2 Base.materialize!(%0, %1)
#>   %3 return %2

x .^ 2
#>   %0 Core.apply_type(Base.Val, 2)
#>   %1 %0()
#>   %2 Base.broadcasted(Base.literal_pow, Main.^, Main.x, %1)
#>   %3 Base.materialize(%2)
#>   %4 return %3

f.(x; k = 1)
#>   %0 Core.tuple(:k)
#>   %1 Core.apply_type(Core.NamedTuple, %0)
#>   %2 Core.tuple(1)
#>   %3 %1(%2)
#>   %4 Core.kwcall(%3, Base.broadcasted_kwsyntax, Main.f, Main.x)
#>   %5 Base.materialize(%4)
#>   %6 return %5

a .< b .<= c
#>   %0 Base.broadcasted(Main.<, Main.a, Main.b)
#>   %1 Base.broadcasted(Main.<=, Main.b, Main.c)
#>   %2 Base.broadcasted(Base.&, %0, %1)
#>   %3 Base.materialize(%2)
#>   %4 return %3

a .&& b
#>   %0 Base.broadcasted(Base.andand, Main.a, Main.b)
#>   %1 Base.materialize(%0)
#>   %2 return %1

.+
#>   %0 Base.BroadcastFunction(Main.+)
#>   %1 return %0
