# `U` is in no argument's type, so no call says what it is.
element(x::T) where {T, U} = U
element(1)
