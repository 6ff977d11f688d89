# A package that throws in its middle until it is told not to.
module Broken
export answer
get(ENV, "MENDED", "") == "yes" || error("it is broken")
answer() = 42
end
