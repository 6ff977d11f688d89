# A statement that consists of others is one frame, of the line in it.
for i in 1:3
    let x = i + 1
        i == 2 && sqrt(-x)
    end
end
