# The dependency.
module Inner
answer() = 42
end
