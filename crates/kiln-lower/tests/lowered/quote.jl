# Quoted code is built by calls. Names are symbols, interpolations are evaluated.
:(a + $b)
#>   %0 Core._expr(:call, :+, :a, Main.b)
#>   %1 return %0

# A splat gives several arguments.
:(f($(xs...), 1))
#>   %0 Core.tuple(:call, :f)
#>   %1 Core.tuple(1)
#>   %2 Core._apply_iterate(Base.iterate, Core._expr, %0, Main.xs, %1)
#>   %3 return %2

# A quote in a quote keeps what belongs to it.
quote
    :(x + $y + $$z)
end
#>   %0 Core.LineNumberNode(4, nothing)
#>   %1 Core._expr(Symbol("\$"), :y)
#>   %2 Core._expr(Symbol("\$"), Main.z)
#>   %3 Core._expr(:call, :+, :x, %1, %2)
#>   %4 Core._expr(Symbol("quote"), %3)
#>   %5 Core._expr(:block, %0, %4)
#>   %6 return %5

:a
#>   %0 return :a

:($x)
#>   %0 return Main.x

:(a.b)
#>   %0 Core.QuoteNode(:b)
#>   %1 Core._expr(Symbol("."), :a, %0)
#>   %2 return %1

$x
#> error[interpolation-outside-quote] at `$x`: "$" expression outside quote
