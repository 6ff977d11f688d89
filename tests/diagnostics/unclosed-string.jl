# A forgotten quote turns every quote behind it around; the string that goes on over a line break began it.
function greet(name)
    println("hello)
    name
end
println("done")
