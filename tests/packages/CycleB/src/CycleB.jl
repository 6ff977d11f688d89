# The other package of a cycle.
module CycleB
using CycleA
end
