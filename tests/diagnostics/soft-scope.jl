# An assignment in a loop at top level makes a variable of the loop, whatever global there is.
total = 0
for i in 1:3
    total += i
end
