# A comprehension has the element type that its body is inferred to.
squares(n) = [i * i for i in 1:n]
halves(n) = sum(i / 2 for i in 1:n)

#: infer 'squares(Int64)'
#: check: returns Vector{Int64}
#: infer 'halves(Int64)'
#: check: returns Float64
