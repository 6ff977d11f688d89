# Extras: loop hints.
module Extras
export @unroll

# The optimizer unrolls what pays; the hint is accepted.
macro unroll(ex)
    return esc(ex)
end
macro unroll(n, ex)
    return esc(ex)
end

end
using .Extras: @unroll
