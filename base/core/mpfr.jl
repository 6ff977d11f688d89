# MPFR, the library of floats of any precision: its numbers for rounding modes, the range of exponents, and those of its functions
# that programs call by `ccall`, written here with the arithmetic of `Host.big_float`.

module MPFR
    using ..Base: Base, BigFloat, BIG_SETTINGS, RoundingMode, @enum
    export BigFloat, setprecision
    const setprecision = Base.setprecision
    const libmpfr = "libmpfr"

    get_emin() = BIG_SETTINGS.emin
    get_emax() = BIG_SETTINGS.emax
    get_emin_min() = -4611686018427387903
    get_emin_max() = 4611686018427387903
    get_emax_min() = -4611686018427387903
    get_emax_max() = 4611686018427387903
    check_range(e) = abs(e) <= 4611686018427387903 || throw(ArgumentError("Invalid MPFR exponent range"))
    set_emin!(e) = (check_range(e); BIG_SETTINGS.emin = e; nothing)
    set_emax!(e) = (check_range(e); BIG_SETTINGS.emax = e; nothing)

    @enum MPFRRoundingMode begin
        MPFRRoundNearest
        MPFRRoundToZero
        MPFRRoundUp
        MPFRRoundDown
        MPFRRoundFromZero
        MPFRRoundFaithful
    end
    Base.convert(::Type{MPFRRoundingMode}, r::RoundingMode) = MPFRRoundingMode(Base.rounding_number(r))
    Base.convert(::Type{RoundingMode}, r::MPFRRoundingMode) = r === MPFRRoundFaithful ?
        throw(ArgumentError(string("invalid MPFR rounding mode code: ", r))) : Base.rounding_of_number(Int(r))

    # The settings that hold for the session, as references to them.
    struct RoundingSetting <: Ref{MPFRRoundingMode} end
    struct PrecisionSetting <: Ref{Int} end
    Base.getindex(::RoundingSetting) = MPFRRoundingMode(BIG_SETTINGS.rounding)
    Base.setindex!(r::RoundingSetting, mode) = (BIG_SETTINGS.rounding = Int(convert(MPFRRoundingMode, mode)); r)
    Base.getindex(::PrecisionSetting) = BIG_SETTINGS.precision
    Base.setindex!(r::PrecisionSetting, p) = (BIG_SETTINGS.precision = p; r)
    const ROUNDING_MODE = RoundingSetting()
    const DEFAULT_PRECISION = PrecisionSetting()

    # The version of MPFR whose results these are.
    version() = Base.VersionNumber(4, 2, 2)
end
rounding_raw(::Type{BigFloat}) = MPFR.ROUNDING_MODE[]
setrounding_raw(::Type{BigFloat}, r::MPFR.MPFRRoundingMode) = (MPFR.ROUNDING_MODE[] = r)
setrounding_raw(f::Function, ::Type{BigFloat}, r::MPFR.MPFRRoundingMode) = setrounding(f, BigFloat, convert(RoundingMode, r))
_precision_with_base_2(x) = precision(x)
BigFloat(x::Real, r::MPFR.MPFRRoundingMode; kws...) = BigFloat(x, convert(RoundingMode, r); kws...)::BigFloat
BigFloat(x::AbstractString, r::MPFR.MPFRRoundingMode; kws...) = BigFloat(x, convert(RoundingMode, r); kws...)::BigFloat

# A function of C gets the number itself, and writes into it.
cconvert(::Type{Ref{BigFloat}}, x::BigFloat) = x
cconvert(::Type{Ref{BigFloat}}, x::Number) = convert(BigFloat, x)
cconvert(::Type{Ref{BigFloat}}, x::Ref{BigFloat}) = x[]
unsafe_convert(::Type{Ref{BigFloat}}, x::BigFloat) = x

# Functions of C libraries that `ccall` names, by their names there.
module CLibraries
    using ..Base: Base, BigFloat, BigInt, RoundingMode, MPFR

    function store!(z::BigFloat, x::BigFloat)
        y = BigFloat(x; precision = z.prec)
        z.sign, z.exp, z.d = y.sign, y.exp, y.d
        nothing
    end
    # Writes the value of `f()`, rounded to the number's precision, and returns on which side of the exact one it is.
    function set_rounded!(f, z::BigFloat, mode)
        r = convert(RoundingMode, MPFR.MPFRRoundingMode(Int(mode)))
        rounded(r) = Base.setrounding(() -> Base.setprecision(f, BigFloat, z.prec), BigFloat, r)::BigFloat
        low, y, high = rounded(Base.RoundDown), rounded(r), rounded(Base.RoundUp)
        store!(z, y)
        isnan(y) || low == high ? Int32(0) : y == high ? Int32(1) : Int32(-1)
    end

    for (name, f) in (:mpfr_neg => :-, :mpfr_abs => :abs, :mpfr_sqrt => :sqrt, :mpfr_cbrt => :cbrt, :mpfr_exp => :exp,
            :mpfr_exp2 => :exp2, :mpfr_exp10 => :exp10, :mpfr_expm1 => :expm1, :mpfr_log => :log, :mpfr_log2 => :log2,
            :mpfr_log10 => :log10, :mpfr_log1p => :log1p, :mpfr_sin => :sin, :mpfr_cos => :cos, :mpfr_tan => :tan,
            :mpfr_asin => :asin, :mpfr_acos => :acos, :mpfr_atan => :atan, :mpfr_sinh => :sinh, :mpfr_cosh => :cosh,
            :mpfr_tanh => :tanh, :mpfr_asinh => :asinh, :mpfr_acosh => :acosh, :mpfr_atanh => :atanh)
        # Outside of its domain the value is not a number, and no error.
        @eval $name(z, x, mode) = set_rounded!(z, mode) do
            try
                Base.$f(x)
            catch e
                e isa DomainError ? BigFloat(NaN) : rethrow()
            end
        end
    end
    for (name, f) in (:mpfr_add => :+, :mpfr_sub => :-, :mpfr_mul => :*, :mpfr_div => :/, :mpfr_pow => :^, :mpfr_fmod => :rem,
            :mpfr_atan2 => :atan, :mpfr_hypot => :hypot)
        @eval $name(z, x, y, mode) = set_rounded!(() -> Base.$f(x, y), z, mode)
    end
    mpfr_fma(z, a, b, c, mode) = set_rounded!(() -> Base.fma(a, b, c), z, mode)
    for name in (:mpfr_set, :mpfr_set_z, :mpfr_set_d, :mpfr_set_si, :mpfr_set_ui)
        @eval $name(z, x, mode) = set_rounded!(() -> BigFloat(x; precision = z.prec), z, mode)
    end
    mpfr_const_pi(z, mode) = set_rounded!(() -> BigFloat(Base.pi), z, mode)
    mpfr_const_euler(z, mode) = set_rounded!(() -> BigFloat(Base.MathConstants.eulergamma), z, mode)
    mpfr_const_catalan(z, mode) = set_rounded!(() -> BigFloat(Base.MathConstants.catalan), z, mode)
    mpfr_const_log2(z, mode) = set_rounded!(() -> Base.log(BigFloat(2)), z, mode)
    mpfr_get_prec(x) = x.prec
    mpfr_cmp(x, y) = Int32(isnan(x) || isnan(y) ? 0 : cmp(x, y))
    mpfr_equal_p(x, y) = Int32(x == y)
    mpfr_get_d(x, mode) = Float64(x, convert(RoundingMode, MPFR.MPFRRoundingMode(Int(mode))))
end
