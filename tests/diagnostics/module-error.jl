# An exception while a module is evaluated is shown where it was thrown, in the module.
module Circles
export area
area(r) = pie * r^2
const unit = area(1)
end
using .Circles
