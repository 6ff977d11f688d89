# Results of the matrix of rational and complex numbers: two words each, and the form of the number in its kind.
exception_number(::ArgumentError) = 106

form_of(x) = 0
form_of(x::Rational) = 20
form_of(x::Complex) = 40
parts(x) = (x, x)
parts(x::Rational) = (numerator(x), denominator(x))
parts(x::Complex) = (real(x), imag(x))

# A number from its parts, as they are.
ratio(a::T, b::T) where {T} = Base.unsafe_rational(T, a, b)

function record_parts(f, xs, ys)
    count = length(xs) * length(ys)
    kinds = Memory{UInt8}(undef, count)
    bits = Memory{UInt8}(undef, 32 * count)
    words = Ptr{UInt128}(pointer(bits))
    i = 0
    for x in xs, y in ys
        i += 1
        try
            r = f(x, y)
            a, b = parts(r)
            kinds[i] = type_number(a) + form_of(r)
            GC.@preserve bits begin
                unsafe_store!(words, bits_of(a), 2i - 1)
                unsafe_store!(words, bits_of(b), 2i)
            end
        catch e
            kinds[i] = exception_number(e)
        end
    end
    global KINDS = kinds
    global BITS = bits
    nothing
end
