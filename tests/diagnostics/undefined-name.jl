# A near match is named.
values = [1, 2, 3]
println(lenght(values))
