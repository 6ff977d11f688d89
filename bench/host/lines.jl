include("timed.jl")
function lines(n, path)
    count, bytes, commas = 0, 0, 0
    for line in eachline(path)
        count += 1
        bytes += ncodeunits(line)
        commas += endswith(line, "7")
    end
    string(count, " ", bytes, " ", commas)
end
timed(lines)
