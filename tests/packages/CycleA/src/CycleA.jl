# A package that loads a package that loads it.
module CycleA
using CycleB
end
