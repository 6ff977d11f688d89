# Throws.
module FailingExt
using Parent, Other
get(ENV, "MENDED", "") == "yes" || error("it fails")
end
