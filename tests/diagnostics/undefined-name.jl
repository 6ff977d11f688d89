# A near match is named.
lenght = 3
println(lenght)
