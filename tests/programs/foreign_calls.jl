# LLVM code in kernels: intrinsics and external symbols by name, bodies and modules as text (MISSION G).
using CUDA, Test

# `f` on every element, in a kernel.
function on_device(f, xs::Vector, T = eltype(xs))
    x = CuArray(xs)
    y = CuArray(zeros(T, length(xs)))
    kernel = (y, x) -> begin
        i = threadIdx().x
        @inbounds y[i] = f(x[i])
        return
    end
    @cuda threads = length(xs) kernel(y, x)
    Array(y)
end
const V = NTuple{2, VecElement{Int64}}
told(f) = try
    f()
    "no error"
catch e
    sprint(showerror, e)
end

@testset "intrinsics by name" begin
    llvm_sqrt(x) = ccall("llvm.sqrt.f64", llvmcall, Float64, (Float64,), x)
    llvm_sin(x) = ccall("llvm.sin.f64", llvmcall, Float64, (Float64,), x)
    leading(x) = ccall("llvm.ctlz.i64", llvmcall, Int64, (Int64, Bool), x, false)
    larger(x) = ccall("llvm.smax.i64", llvmcall, Int64, (Int64, Int64), x, 5)
    sum_and_flag(x) = ccall("llvm.sadd.with.overflow.i64", llvmcall, Tuple{Int64, Bool}, (Int64, Int64), x, typemax(Int) - 2)
    @test on_device(llvm_sqrt, [4.0, 2.0]) == [2.0, sqrt(2.0)]
    @test on_device(llvm_sin, [0.5, 1.0]) ≈ sin.([0.5, 1.0])
    @test on_device(leading, [1, 0, -1]) == [63, 64, 0]
    @test on_device(larger, [3, 9]) == [5, 9]
    @test on_device(x -> sum_and_flag(x)[1], [1]) == [typemax(Int) - 1]
    @test on_device(x -> sum_and_flag(x)[2] ? 1 : 0, [2, 3]) == [0, 1]
    # An argument is converted to the type that is declared for it.
    @test on_device(x -> ccall("llvm.sqrt.f64", llvmcall, Float64, (Float64,), x), [16], Float64) == [4.0]
    # The host has the same arithmetic.
    @test llvm_sqrt(2.0) === sqrt(2.0) && leading(1) === 63 && larger(3) === 5 && llvm_sin(0.5) ≈ sin(0.5)
    @test ccall("llvm.fshl.i32", llvmcall, UInt32, (UInt32, UInt32, UInt32), 0x80000001, 0xf0000000, 4) === 0x0000001f
    @test ccall("llvm.bitreverse.i8", llvmcall, UInt8, (UInt8,), 0x01) === 0x80
end

@testset "external symbols" begin
    # A function of the C library that the host's code is linked with.
    @test on_device(x -> ccall("extern hypot", llvmcall, Float64, (Float64, Float64), x, 4.0), [3.0]) == [5.0]
end

@testset "bodies" begin
    add(x, y) = Base.llvmcall("%3 = add i64 %0, %1\nret i64 %3", Int64, Tuple{Int64, Int64}, x, y)
    shift(x) = Base.llvmcall("%2 = shl i32 %0, 3\nret i32 %2", Int32, Tuple{Int32}, x)
    @test on_device(x -> add(x, 10), [1, 2, 3]) == [11, 12, 13]
    @test on_device(shift, Int32[1, 2]) == Int32[8, 16]
    # Names, labels, and pointers of before they had no type.
    positive(x) = Base.llvmcall("""
        %is = icmp sgt i64 %0, 0
        br i1 %is, label %yes, label %no
        yes:
        ret i64 1
        no:
        ret i64 0
        """, Int64, Tuple{Int64}, x)
    volatile(p) = Base.llvmcall("%2 = load volatile i64, i64* %0\nret i64 %2", Int64, Tuple{Ptr{Int64}}, p)
    old_volatile(p) = Base.llvmcall("%2 = inttoptr i64 %0 to i64*\n%3 = load volatile i64, i64* %2\nret i64 %3", Int64, Tuple{Ptr{Int64}}, p)
    @test on_device(positive, [-1, 0, 7]) == [0, 0, 1]
    a, b = CuArray([42, 43]), CuArray([0, 0])
    read_twice(b, a) = (b[1] = volatile(pointer(a)); b[2] = old_volatile(pointer(a)); return)
    in_space(p) = Base.llvmcall("%2 = load i64, ptr addrspace(1) %0\nret i64 %2", Int64, Tuple{Core.LLVMPtr{Int64, 1}}, p)
    read_space(b, a) = (b[1] = in_space(reinterpret(Core.LLVMPtr{Int64, 1}, pointer(a))); return)
    @cuda read_twice(b, a)
    @test Array(b) == [42, 42]
    @cuda read_space(b, a)
    @test Array(b)[1] == 42
    # A `Bool` is an `i8`; text that says `i1` is given that.
    @test on_device(x -> Base.llvmcall("%2 = zext i8 %0 to i64\nret i64 %2", Int64, Tuple{Bool}, x > 1), [1, 2]) == [0, 1]
    @test on_device(x -> Base.llvmcall("%2 = zext i1 %0 to i64\nret i64 %2", Int64, Tuple{Bool}, x > 1), [1, 2]) == [0, 1]
    @test on_device(x -> Base.llvmcall("%2 = icmp sgt i64 %0, 1\n%3 = zext i1 %2 to i8\nret i8 %3", Bool, Tuple{Int64}, x) ? 7 : 8, [1, 2]) == [8, 7]
    # Nothing is no argument, and no value.
    @test on_device(x -> (Base.llvmcall("ret void", Nothing, Tuple{Nothing}, nothing); x), [1]) == [1]
end

@testset "aggregates" begin
    pair(x) = Base.llvmcall("""
        %2 = extractvalue [2 x i64] %0, 0
        %3 = extractvalue [2 x i64] %0, 1
        %4 = mul i64 %2, %3
        ret i64 %4""", Int64, Tuple{NTuple{2, Int64}}, (x, x + 1))
    mixed(x) = Base.llvmcall("""
        %2 = extractvalue {i64, double} %0, 1
        %3 = insertvalue {double, i8} undef, double %2, 0
        %4 = insertvalue {double, i8} %3, i8 1, 1
        ret {double, i8} %4""", Tuple{Float64, Bool}, Tuple{Tuple{Int64, Float64}}, (1, x))
    scaled(z) = Base.llvmcall("""
        %2 = extractvalue [2 x double] %0, 0
        %3 = fmul double %2, 2.0
        %4 = insertvalue [2 x double] %0, double %3, 0
        ret [2 x double] %4""", ComplexF64, Tuple{ComplexF64}, z)
    @test on_device(pair, [3]) == [12]
    @test on_device(x -> mixed(x)[2] ? mixed(x)[1] : 0.0, [2.5]) == [2.5]
    @test on_device(scaled, [1.0 + 2.0im]) == [2.0 + 2.0im]
    vec(x) = (VecElement(x), VecElement(x + 1))
    largest(x, y) = ccall("llvm.smax.v2i64", llvmcall, V, (V, V), x, y)
    @test on_device(x -> (v = largest(vec(x), vec(5)); v[1].value * 100 + v[2].value), [1, 9]) == [506, 910]
    doubled(x) = Base.llvmcall("%2 = add <2 x i64> %0, %0\nret <2 x i64> %2", V, Tuple{V}, x)
    @test on_device(x -> doubled(vec(x))[2].value, [4]) == [10]
end

@testset "modules" begin
    module_text = """
        @table = private constant [2 x i64] [i64 10, i64 20]
        declare i64 @llvm.ctpop.i64(i64)
        define internal i64 @helper(i64 %x) #1 {
            %p = getelementptr [2 x i64], ptr @table, i64 0, i64 %x
            %v = load i64, ptr %p
            ret i64 %v
        }
        define i64 @entry(i64 %x, i64 %y) #0 {
            %a = call i64 @helper(i64 %x)
            %b = call i64 @llvm.ctpop.i64(i64 %y)
            %c = add i64 %a, %b
            ret i64 %c
        }
        attributes #0 = { alwaysinline }
        attributes #1 = { noinline }
        """
    @eval look_up(x, y) = Base.llvmcall(($module_text, "entry"), Int64, Tuple{Int64, Int64}, x, y)
    @test on_device(x -> look_up(x, 7) + look_up(1 - x, 1), [0, 1]) == [34, 34]
    # Two modules may use one name, and so may the compiler.
    one(x) = Base.llvmcall(("define i64 @f0(i64 %x) {\nret i64 1\n}", "f0"), Int64, Tuple{Int64}, x)
    two(x) = Base.llvmcall(("define i64 @f0(i64 %x) {\n%y = call i64 @entry(i64 %x)\nret i64 %y\n}\ndefine i64 @entry(i64 %x) {\nret i64 2\n}", "f0"), Int64, Tuple{Int64}, x)
    @test on_device(x -> 10one(x) + two(x), [0]) == [12]
end

# Of itself, one step at a time: the text of each step is another.
@generated function steps(x::Int64, ::Val{N}) where {N}
    N == 0 && return :x
    text = "%2 = add i64 %0, $N\nret i64 %2"
    :(steps(Base.llvmcall($text, Int64, Tuple{Int64}, x), Val($(N - 1))))
end
@testset "generated text" begin
    @inline @generated function sink(i::T, ::Val{addrspace} = Val(0)) where {T <: Union{Int64, UInt64}, addrspace}
        as = addrspace > 0 ? " addrspace($addrspace)" : ""
        text = """%slot = alloca i64$(addrspace > 0 ? ", addrspace($addrspace)" : "")
                  store volatile i64 %0, i64$(as)* %slot
                  %value = load volatile i64, i64$(as)* %slot
                  ret i64 %value"""
        return :(Base.llvmcall($text, T, Tuple{T}, i))
    end
    @test on_device(sink, [5, 6]) == [5, 6]
    @test on_device(x -> steps(x, Val(4)), [0, 1]) == [10, 11]
    @generated lanes(x::NTuple{N, VecElement{T}}) where {N, T} =
        :(Base.llvmcall($("%2 = fadd <$N x double> %0, %0\nret <$N x double> %2"), NTuple{N, VecElement{T}}, Tuple{NTuple{N, VecElement{T}}}, x))
    @test on_device(x -> lanes(ntuple(i -> VecElement(x * i), Val(4)))[3].value, [1.5]) == [9.0]
    # Text of more than a few kilobytes.
    long = join(("%$(i + 1) = add i64 %$(i == 1 ? 0 : i), 1" for i in 1:1000), "\n") * "\nret i64 %1001"
    @eval grown(x) = Base.llvmcall($long, Int64, Tuple{Int64}, x)
    @test sizeof(long) > 10000 && on_device(grown, [1]) == [1001]
end

@testset "effects" begin
    # What may write is not removed, and done once and in order, though nothing uses its value.
    put(p, x) = (Base.llvmcall("store volatile i64 %1, ptr %0\nret i64 0", Int64, Tuple{Ptr{Int64}, Int64}, p, x); nothing)
    add_to(p) = Base.llvmcall("%2 = atomicrmw add ptr %0, i64 1 monotonic\nret i64 %2", Int64, Tuple{Ptr{Int64}}, p)
    a = CuArray([0, 0])
    write_both(a) = (put(pointer(a), 1); put(pointer(a, 2), 2); put(pointer(a), 3); return)
    @cuda write_both(a)
    @test Array(a) == [3, 2]
    count(a) = (add_to(pointer(a, 2)); return)
    @cuda threads = 100 count(a)
    @test Array(a) == [3, 102]
    # What only computes is: an argument that would trap if it were evaluated twice.
    unused(a) = (ccall("llvm.sqrt.f64", llvmcall, Float64, (Float64,), 2.0); a[1] = 9; return)
    @cuda unused(a)
    @test Array(a)[1] == 9
end

@testset "redefinition" begin
    @eval text() = Base.llvmcall("ret i64 1", Int64, Tuple{})
    @eval call_text(x) = text()
    @test on_device(call_text, [0]) == [1]
    @eval text() = Base.llvmcall("ret i64 2", Int64, Tuple{})
    @test on_device(call_text, [0]) == [2]
end

@testset "what is wrong is said" begin
    wrong(f) = told(() -> on_device(f, [1]))
    @test occursin("expected instruction opcode", wrong(x -> Base.llvmcall("no such thing", Int64, Tuple{Int64}, x)))
    @test occursin("defines no function `other`", wrong(x -> Base.llvmcall(("define i64 @f(i64 %x) {\nret i64 %x\n}", "other"), Int64, Tuple{Int64}, x)))
    @test occursin("is double, which a Int64 cannot be", wrong(x -> Base.llvmcall(("define i64 @f(double %x) {\nret i64 1\n}", "f"), Int64, Tuple{Int64}, x)))
    @test occursin("returns double, which is no Int64", wrong(x -> Base.llvmcall(("define double @f(i64 %x) {\nret double 1.0\n}", "f"), Int64, Tuple{Int64}, x)))
    @test occursin("takes 2 arguments", wrong(x -> Base.llvmcall(("define i64 @f(i64 %x, i64 %y) {\nret i64 1\n}", "f"), Int64, Tuple{Int64}, x)))
    @test occursin("has no intrinsic", wrong(x -> ccall("llvm.no.such.thing", llvmcall, Int64, (Int64,), x)))
    @test occursin("is the compiler's own", wrong(x -> ccall("extern f0", llvmcall, Int64, (Int64,), x)))
    @test occursin("nothing defines the function `no_such_function`", wrong(x -> ccall("extern no_such_function", llvmcall, Int64, (Int64,), x)))
    @test occursin("only known at run time", wrong(x -> Base.llvmcall(x > 1 ? "ret i64 1" : "ret i64 2", Int64, Tuple{})))
    @test occursin("cannot call the C function `time`", wrong(x -> ccall(:time, Int64, (Ptr{Nothing},), C_NULL)))
    @test occursin("cannot call the C function `getpid`", wrong(x -> Int64(@ccall getpid()::Cint)))
end

@testset "C functions on the host" begin
    @test ccall(:cos, Float64, (Float64,), 0.0) === 1.0
    @test ccall((:cosf, "libm"), Float32, (Float32,), 0.0f0) === 1.0f0
    @test @ccall(pow(2.0::Float64, 10.0::Float64)::Float64) === 1024.0
    @test @ccall(libm.atan2(1.0::Float64, 1.0::Float64)::Float64) ≈ pi / 4
    @test_throws Base.UnsupportedError ccall(:getpid, Cint, ())
    @test occursin("`getpid` is a C function", told(() -> ccall(:getpid, Cint, ())))
    @test occursin("LLVM code runs in kernels only", told(() -> Base.llvmcall("ret i64 1", Int64, Tuple{})))
    @test occursin("`llvm.trap`", told(() -> ccall("llvm.trap", llvmcall, Nothing, ())))
    @test_throws Base.UnsupportedError ccall(Ptr{Nothing}(8), Cint, ())
end

@testset "types of functions behind pointers" begin
    for (result, arg) in ((Int, Integer), (Int, Ptr), (Real, Int))
        @test_throws ErrorException @eval @cfunction(+, $result, ($arg, Int))
    end
    @test_throws SystemError("opening file or folder \"/no/such/path\"", 2) include_dependency("/no/such/path")
end
