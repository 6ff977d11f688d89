module StaticArrays
greet() = "the environment's"
end
