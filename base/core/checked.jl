# Arithmetic that throws instead of wrapping: module Checked.

"""
    Checked

Integer arithmetic that throws an `OverflowError` where the ordinary operators wrap around.
"""
Checked

module Checked

import ..Base: checked_abs
import ..Base: checked_neg, checked_add, checked_sub, checked_mul
import ..Base: add_with_overflow, sub_with_overflow, mul_with_overflow
import ..Base: checked_div, checked_rem, checked_fld, checked_mod, checked_cld, checked_pow, checked_length
export checked_neg, checked_abs, checked_add, checked_sub, checked_mul, checked_div, checked_rem, checked_fld,
    checked_mod, checked_cld, checked_pow, checked_length, add_with_overflow, sub_with_overflow, mul_with_overflow
const SignedInt = Union{Int8, Int16, Int32, Int64, Int128}
const UnsignedInt = Union{UInt8, UInt16, UInt32, UInt64, UInt128}

end
