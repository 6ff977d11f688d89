# One item an element, and no test of the index: an item beyond the end fails, and says where.
using Metal

function axpy!(y, a, x)
    i = thread_position_in_grid_1d()
    y[i] = a * x[i] + y[i]
    return
end
