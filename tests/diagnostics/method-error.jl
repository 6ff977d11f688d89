# The closest candidates, and why each fails.
area(w::Int, h::Int) = w * h
area(r::Float64) = 3.14 * r * r
area(2, "3")
