# Conway's game of life on a torus: tiles with their border in local memory, one item for each cell.
using AMDGPU, KernelAbstractions, Test

const TILE = 16

wrap(i, n) = i < 1 ? i + n : i > n ? i - n : i

@kernel function generation!(next, @Const(cells))
    i, j = @index(Global, NTuple)
    li, lj = @index(Local, NTuple)
    tile = @localmem UInt8 (TILE + 2, TILE + 2)
    m, n = size(cells)
    # Each item loads its cell; those at the edges also load what is beyond.
    @inbounds begin
        tile[li+1, lj+1] = cells[i, j]
        up, down, left, right = wrap(i - 1, m), wrap(i + 1, m), wrap(j - 1, n), wrap(j + 1, n)
        li == 1 && (tile[1, lj+1] = cells[up, j])
        li == TILE && (tile[TILE+2, lj+1] = cells[down, j])
        lj == 1 && (tile[li+1, 1] = cells[i, left])
        lj == TILE && (tile[li+1, TILE+2] = cells[i, right])
        li == 1 && lj == 1 && (tile[1, 1] = cells[up, left])
        li == 1 && lj == TILE && (tile[1, TILE+2] = cells[up, right])
        li == TILE && lj == 1 && (tile[TILE+2, 1] = cells[down, left])
        li == TILE && lj == TILE && (tile[TILE+2, TILE+2] = cells[down, right])
    end
    @synchronize
    neighbours = 0
    for dj in 0:2, di in 0:2
        @inbounds neighbours += tile[li+di, lj+dj]
    end
    @inbounds alive = tile[li+1, lj+1] == 1
    neighbours -= alive
    @inbounds next[i, j] = neighbours == 3 || (alive && neighbours == 2)
end

function evolve(cells, generations)
    cells, next = copy(cells), similar(cells)
    kernel = generation!(get_backend(cells), (TILE, TILE), size(cells))
    for _ in 1:generations
        kernel(next, cells)
        cells, next = next, cells
    end
    return cells
end

function board(size, pattern, at)
    cells = zeros(UInt8, size, size)
    cells[at .+ axes(pattern, 1), at .+ axes(pattern, 2)] = pattern
    return ROCArray(cells)
end

# A glider moves by one cell along the diagonal in four generations, around the torus.
glider = [0 1 0; 0 0 1; 1 1 1]
start = board(64, glider, 40)
@test Array(evolve(start, 4 * 50)) == circshift(Array(start), (50, 50))

# The R-pentomino becomes still after 1103 generations: 116 cells, six gliders among them.
pentomino = [0 1 1; 1 1 0; 0 1 0]
cells = evolve(board(512, pentomino, 255), 1103)
@test sum(Int, cells) == 116
println("life: ", sum(Int, cells), " cells in ", count(!iszero, sum(Int, cells; dims = 1)), " columns after 1103 generations")
