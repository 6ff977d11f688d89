# A package with extensions.
module Parent
const loaded = Symbol[]
describe(x) = "any"
end
