# The memory that a value takes with all that it reaches.
"""
    Base.summarysize(x)

The bytes that `x` takes together with every object that is reachable from it. Types, symbols and modules take none.
"""
summarysize(@nospecialize(x)) = Core.Host.gc(:size, x)::Int
