# A small union is returned as its bits and the number of its type: nothing is allocated.
half(n) = iseven(n) ? n >> 1 : 0.5 * n

#: emitted 'half(Int64)'
#: check: define internal { i64, i8 } @f0(i64 %0)
#: check: ashr i64 %0, 1
#: check: i8 1, 1
#: check: fmul double
#: check: bitcast double
#: check: i8 0, 1
