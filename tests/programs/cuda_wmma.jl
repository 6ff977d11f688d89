# Matrix units by the names of CUDA.jl's WMMA, on the processor (MISSION L): what a warp multiplies is the product, for each
# shape, type and layout, whatever lane holds which element.
using CUDA, Test
using BFloat16s: BFloat16

matrix(T, m, n) = T.(rand(Int8(-4):Int8(4), m, n))
unsigned_matrix(m, n) = rand(0x00:0x09, m, n)
in_layout(a, layout) = layout === WMMA.ColMajor ? a : permutedims(a)

function multiply(a, b, c, d, ::Type{config}, la, lb, lc, ld, strides) where {config}
    x = WMMA.load_a(pointer(a), strides[1], la, config)
    y = WMMA.load_b(pointer(b), strides[2], lb, config)
    z = WMMA.load_c(pointer(c), strides[3], lc, config)
    WMMA.store_d(pointer(d), WMMA.mma(x, y, z, config), strides[4], ld, config)
    return
end
stride_of(a, layout) = layout === WMMA.ColMajor ? size(a, 1) : size(a, 2)

@testset "$M x $N x $K, $T, $C, $D" for (M, N, K) in ((16, 16, 16), (32, 8, 16), (8, 32, 16)),
    (T, C, D) in ((Float16, Float32, Float32), (Float16, Float16, Float16), (Float16, Float16, Float32), (BFloat16, Float32, Float32))

    layouts = rand((WMMA.ColMajor, WMMA.RowMajor), 4)
    a, b, c = matrix(T, M, K), matrix(T, K, N), matrix(C, M, N)
    d = zeros(D, M, N)
    on_device = CuArray.((in_layout(a, layouts[1]), in_layout(b, layouts[2]), in_layout(c, layouts[3]), in_layout(d, layouts[4])))
    strides = map(stride_of, (a, b, c, d), Tuple(layouts))
    @cuda threads = 32 multiply(on_device..., WMMA.Config{M,N,K,D}, layouts..., strides)
    @test in_layout(Array(on_device[4]), layouts[4]) == Float32.(a) * Float32.(b) + Float32.(c)
end

@testset "integers, by LLVM's names: $T, $shape" for T in (UInt8, Int8), shape in ("m16n16k16", "m32n8k16", "m8n32k16")
    M, N, K = parse.(Int, split(shape[2:end], ('n', 'k')))
    name = T === UInt8 ? "u8" : "s8"
    a, b = T === UInt8 ? (unsigned_matrix(M, K), unsigned_matrix(K, N)) : (matrix(T, M, K), matrix(T, K, N))
    c = rand(Int32(-100):Int32(100), M, N)
    load_a = getfield(WMMA, Symbol("llvm_wmma_load_a_col_$(shape)_global_stride_$name"))
    load_b = getfield(WMMA, Symbol("llvm_wmma_load_b_row_$(shape)_global_stride_$name"))
    load_c = getfield(WMMA, Symbol("llvm_wmma_load_c_col_$(shape)_global_stride_s32"))
    mma = getfield(WMMA, Symbol("llvm_wmma_mma_col_row_$(shape)_$name"))
    store = getfield(WMMA, Symbol("llvm_wmma_store_d_row_$(shape)_global_stride_s32"))
    function kernel(a, b, c, d, M, N)
        z = mma(load_a(pointer(a), M), load_b(pointer(b), N), load_c(pointer(c), M))
        store(pointer(d), z, N)
        return
    end
    d = CuArray(zeros(Int32, N, M))
    @cuda threads = 32 kernel(CuArray(a), CuArray(permutedims(b)), CuArray(c), d, M, N)
    @test permutedims(Array(d)) == Int32.(a) * Int32.(b) + c
end

# A product of matrices of any multiple of 16: a warp for each block of the result, several warps in a group.
function product(a, b, c, m, n, k)
    warp = (threadIdx().x - 1) ÷ 32 + (blockIdx().x - 1) * (blockDim().x ÷ 32)
    row, column = warp % (m ÷ 16), warp ÷ (m ÷ 16)
    config = WMMA.Config{16,16,16,Float32}
    sum = WMMA.fill_c(0.0f0, config)
    for step in 0:(k÷16-1)
        x = WMMA.load_a(pointer(a, 1 + 16row + 16step * m), m, WMMA.ColMajor, config)
        y = WMMA.load_b(pointer(b, 1 + 16step + 16column * k), k, WMMA.ColMajor, config)
        sum = WMMA.mma(x, y, sum, config)
    end
    WMMA.store_d(pointer(c, 1 + 16row + 16column * m), sum, m, WMMA.ColMajor, config)
    return
end
@testset "a product of many blocks" begin
    a, b = matrix(Float16, 64, 48), matrix(Float16, 48, 32)
    c = CUDA.zeros(Float32, 64, 32)
    @cuda threads = 128 blocks = 2 product(CuArray(a), CuArray(b), c, 64, 32, 48)
    @test Array(c) == Float32.(a) * Float32.(b)
end

@testset "fragments" begin
    f = WMMA.Fragment{16,16,16,4,Float16,WMMA.RowMajor,WMMA.MatrixA}((Float16(1), Float16(2), Float16(3), Float16(4)))
    @test (f .* Float16(2)).x == (2, 4, 6, 8) && typeof(f .* Float16(2)) == typeof(f)
    @test (Float16(1) .+ 2 .* f).x == (3, 5, 7, 9)
    @test f[2] == 2 && f[end] == 4 && f.x[1] == 1
    @test WMMA.fill_c(2.0f0, WMMA.Config{16,16,16,Float32}).x == ntuple(_ -> 2.0f0, 8)
    @test WMMA.unflatten(NTuple{2,NTuple{2,Int}}, WMMA.flatten(((1, 2), (3, 4)))) == ((1, 2), (3, 4))
    bf = ntuple(BFloat16, 8)
    @test WMMA.flatten_bf16(WMMA.unflatten_bf16(bf)) == bf
    # What a program does with the elements of its lane: here, a bound from below.
    function relu(c)
        config = WMMA.Config{16,16,16,Float32}
        x = WMMA.load_c(pointer(c), 16, WMMA.ColMajor, config)
        y = typeof(x)(map(it -> max(it, 0.0f0), x.x))
        WMMA.store_d(pointer(c), y, 16, WMMA.ColMajor, config)
        return
    end
    c = matrix(Float32, 16, 16)
    on_device = CuArray(c)
    @cuda threads = 32 relu(on_device)
    @test Array(on_device) == max.(c, 0)
end

@testset "memory of the group" begin
    function through_shared(c)
        tile = CuStaticSharedArray(Float32, (16, 16))
        i = threadIdx().x
        for k in 0:7
            @inbounds tile[i+32k] = c[i+32k]
        end
        sync_threads()
        config = WMMA.Config{16,16,16,Float32}
        x = WMMA.load_c(pointer(tile), 16, WMMA.ColMajor, config)
        WMMA.store_d(pointer(c), x .* 2.0f0, 16, WMMA.RowMajor, config)
        return
    end
    c = matrix(Float32, 16, 16)
    on_device = CuArray(c)
    @cuda threads = 32 through_shared(on_device)
    @test Array(on_device) == 2 * permutedims(c)
end

@testset "Float64" begin
    function doubles(a, b, c)
        config = WMMA.Config{8,8,4,Float64}
        x = WMMA.load_a(pointer(a), 8, WMMA.ColMajor, config)
        y = WMMA.load_b(pointer(b), 8, WMMA.RowMajor, config)
        z = WMMA.load_c(pointer(c), 8, WMMA.ColMajor, config)
        WMMA.store_d(pointer(c), WMMA.mma(x, y, 0.5 .* z, config, RoundNearest), 8, WMMA.RowMajor, config)
        return
    end
    a, b, c = rand(8, 4), rand(4, 8), rand(8, 8)
    on_device = CuArray(c)
    @cuda threads = 32 doubles(CuArray(a), CuArray(permutedims(b)), on_device)
    @test Array(on_device) ≈ permutedims(a * b + 0.5c)
    @test WMMA.map_frag_sizes["a.f64.m8n8k4"] == 1 && WMMA.map_frag_sizes["d.f64.m8n8k4"] == 2
    function named(a, b, c)
        x, y = WMMA.llvm_wmma_load_a_col_m8n8k4_global_stride_f64(pointer(a), 8), WMMA.llvm_wmma_load_b_col_m8n8k4_stride_f64(pointer(b), 4)
        z = WMMA.llvm_wmma_mma_col_col_m8n8k4_f64(x, y, (0.0, 0.0))
        WMMA.llvm_wmma_store_d_col_m8n8k4_global_stride_f64(pointer(c), z, 8)
        return
    end
    @cuda threads = 32 named(CuArray(a), CuArray(b), on_device)
    @test Array(on_device) ≈ a * b
    # A product that is not exact, rounded down and up, where the device does that.
    directed(c) = begin
        config = WMMA.Config{8,8,4,Float64}
        x, y = WMMA.load_a(pointer(c), 8, WMMA.ColMajor, config), WMMA.load_b(pointer(c), 8, WMMA.ColMajor, config)
        z = WMMA.fill_c(0.0, config)
        WMMA.store_d(pointer(c, 65), WMMA.mma(x, y, z, config, RoundDown), 8, WMMA.ColMajor, config)
        WMMA.store_d(pointer(c, 129), WMMA.mma(x, y, z, config, RoundUp), 8, WMMA.ColMajor, config)
        return
    end
    numbers = CuArray(fill(0.1, 192))
    if startswith(CUDA.name(device()), "NVIDIA")
        @cuda threads = 32 directed(numbers)
        @test all(Array(numbers)[65:128] .< Array(numbers)[129:192])
    else
        @test_throws "a rounding that is not to the nearest: only NVIDIA GPUs have it" @cuda threads = 32 directed(numbers)
    end
end

@testset "TF32" begin
    function tensor(a, b, c)
        x = WMMA.llvm_wmma_load_a_col_m16n16k8_global_stride_tf32(pointer(a), 16)
        y = WMMA.llvm_wmma_load_b_row_m16n16k8_stride_tf32(pointer(b), 16)
        z = WMMA.llvm_wmma_load_c_col_m16n16k8_global_stride_f32(pointer(c), 16)
        WMMA.llvm_wmma_store_d_col_m16n16k8_global_stride_f32(pointer(c), WMMA.llvm_wmma_mma_col_row_m16n16k8_tf32(x, y, z), 16)
        return
    end
    cut(x) = reinterpret(Float32, reinterpret(UInt32, x) & 0xffffe000)
    a, b, c = rand(Float32, 16, 8), rand(Float32, 8, 16), rand(Float32, 16, 16)
    on_device = CuArray(c)
    @cuda threads = 32 tensor(CuArray(a), CuArray(permutedims(b)), on_device)
    @test isapprox(Array(on_device), cut.(a) * cut.(b) + c; rtol = 1e-6)
    @test !isapprox(Array(on_device), a * b + c; rtol = 1e-6)
end

@testset "what there is not" begin
    shape(c) = (WMMA.load_c(pointer(c), 16, WMMA.ColMajor, WMMA.Config{16,16,8,Float32}); return)
    layout(c) = (WMMA.load_c(pointer(c), 16, WMMA.Unspecified, WMMA.Config{16,16,16,Float32}); return)
    element(c) = (WMMA.load_a(pointer(c), 16, WMMA.ColMajor, WMMA.Config{16,16,16,Float32}); return)
    told(f) = try
        @cuda threads = 32 f(CUDA.zeros(Float32, 16, 16))
        "no error"
    catch error
        sprint(showerror, error)
    end
    @test occursin("WMMA has the shapes 16x16x16, 32x8x16 and 8x32x16", told(shape))
    @test occursin("`WMMA.ColMajor` or `WMMA.RowMajor`", told(layout))
    @test occursin("WMMA multiplies Float16, BFloat16 and Float64", told(element))
    wide(c) = (z = WMMA.fill_c(1.0f0, WMMA.Config{8,8,4,Float64}); WMMA.store_d(pointer(c), z, 8, WMMA.ColMajor, WMMA.Config{8,8,4,Float32}); return)
    @test occursin("and of Float64 8x8x4", told(wide))
    function mixed(c)
        config = WMMA.Config{16,16,16,Float32}
        x, y = WMMA.load_a(Ptr{Float16}(pointer(c)), 16, WMMA.ColMajor, config), WMMA.load_b(Ptr{BFloat16}(pointer(c)), 16, WMMA.ColMajor, config)
        WMMA.store_d(pointer(c), WMMA.mma(x, y, WMMA.fill_c(0.0f0, config), config), 16, WMMA.ColMajor, config)
        return
    end
    @test occursin("the factors of a product are of one type", told(mixed))
    function rounded(c)
        config = WMMA.Config{16,16,16,Float32}
        x, y = WMMA.load_a(Ptr{Float16}(pointer(c)), 16, WMMA.ColMajor, config), WMMA.load_b(Ptr{Float16}(pointer(c)), 16, WMMA.ColMajor, config)
        WMMA.store_d(pointer(c), WMMA.mma(x, y, WMMA.fill_c(0.0f0, config), config, RoundUp), 16, WMMA.ColMajor, config)
        return
    end
    @test occursin("products are rounded to the nearest number; of Float64 in each direction", told(rounded))
end
