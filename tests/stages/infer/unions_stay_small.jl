# Two types of a variable are a union; many types of one are their common supertype, so that unions do not grow.
two(flag) = flag ? 1 : 2.0
many(n) = n == 1 ? Int8(1) : n == 2 ? Int16(2) : n == 3 ? Int32(3) : n == 4 ? Int64(4) : UInt8(5)

#: infer 'two(Bool)'
#: check: returns Union{Float64, Int64}
#: infer 'many(Int64)'
#: check: returns Integer
