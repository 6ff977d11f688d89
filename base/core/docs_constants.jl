# Documentation of constants: numbers that no arithmetic gives, ways to round, facts of the program and the machine.

"""
    ENDIAN_BOM

The order of bytes of the machine: `0x04030201` where the low byte comes first.
"""
ENDIAN_BOM

"""
    Inf

The positive infinity of `Float64`.
"""
Inf

"""
    Inf16

The positive infinity of `Float16`.
"""
Inf16

"""
    Inf32

The positive infinity of `Float32`.
"""
Inf32

"""
    Inf64

The positive infinity of `Float64`.
"""
Inf64

"""
    NaN

The `Float64` that is no number.
"""
NaN

"""
    NaN16

The `Float16` that is no number.
"""
NaN16

"""
    NaN32

The `Float32` that is no number.
"""
NaN32

"""
    NaN64

The `Float64` that is no number.
"""
NaN64

"""
    PROGRAM_FILE

The path of the program's file.
"""
PROGRAM_FILE

"""
    RoundDown

Rounds towards minus infinity.
"""
RoundDown

"""
    RoundFromZero

Rounds away from zero.
"""
RoundFromZero

"""
    RoundNearest

Rounds to the nearest value, and halves to the even one.
"""
RoundNearest

"""
    RoundNearestTiesAway

Rounds to the nearest value, and halves away from zero.
"""
RoundNearestTiesAway

"""
    RoundNearestTiesUp

Rounds to the nearest value, and halves towards infinity.
"""
RoundNearestTiesUp

"""
    RoundToZero

Rounds towards zero.
"""
RoundToZero

"""
    RoundUp

Rounds towards infinity.
"""
RoundUp
