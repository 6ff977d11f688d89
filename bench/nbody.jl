# One all-pairs force pass over 2048 bodies, as many times as the argument says.
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

n = 2048
part(k) = CuArray(Float32[((i * 7919) % 1009) / 1009.0f0 for i in k*n:(k+1)*n-1])
x, y, z, m = part(0), part(1), part(2), part(3)
ax, ay, az = CUDA.zeros(Float32, n), CUDA.zeros(Float32, n), CUDA.zeros(Float32, n)
for _ in 1:(isempty(ARGS) ? 1 : parse(Int, ARGS[1]))
    @cuda threads=256 blocks=n÷256 forces!(ax, ay, az, x, y, z, m)
end
