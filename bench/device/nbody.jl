# The forces on one body of all the others.
using CUDA

function forces!(ax, ay, az, x, y, z, m)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    @inbounds begin
        xi, yi, zi = x[i], y[i], z[i]
        sx = sy = sz = 0.0f0
        for j in 1:length(x)
            dx, dy, dz = x[j] - xi, y[j] - yi, z[j] - zi
            r2 = dx * dx + dy * dy + dz * dz + 1.0f-3
            inv = 1.0f0 / sqrt(r2)
            s = m[j] * inv * inv * inv
            sx += dx * s
            sy += dy * s
            sz += dz * s
        end
        ax[i], ay[i], az[i] = sx, sy, sz
    end
    return
end
