# Constant arguments reach into a callee, and branches that they decide are not there.
select(mode, x) = mode === :double ? 2x : mode === :square ? x * x : error("no such mode")
double(x) = select(:double, x)

#: typed 'double(Int64)'
