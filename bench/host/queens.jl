include("timed.jl")
function place(row, n, columns, rising, falling)
    row > n && return 1
    found = 0
    for c in 1:n
        if !columns[c] && !rising[row + c] && !falling[row - c + n]
            columns[c] = rising[row + c] = falling[row - c + n] = true
            found += place(row + 1, n, columns, rising, falling)
            columns[c] = rising[row + c] = falling[row - c + n] = false
        end
    end
    found
end
queens(n) = place(1, n, fill(false, n), fill(false, 2n), fill(false, 2n))
timed(queens)
