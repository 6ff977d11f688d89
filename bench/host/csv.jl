include("timed.jl")
function table(n, path)
    rows, ints, floats, letters = 0, 0, 0.0, 0
    for line in eachsplit(read(path, String), '\n'; keepempty = false)
        fields = split(line, ',')
        rows += 1
        ints += parse(Int, fields[1])
        floats += parse(Float64, fields[2])
        letters += length(fields[3])
    end
    string(rows, " ", ints, " ", round(Int, floats * 1000), " ", letters)
end
timed(table)
