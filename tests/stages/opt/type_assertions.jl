# A type assertion narrows what follows it: the addition is one of `Int64`s.
narrowed(x) = (y = x::Int64; y + y)

#: typed 'narrowed(Any)'
