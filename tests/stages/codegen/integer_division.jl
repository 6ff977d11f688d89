# The test for zero is made where the divisor may be zero; a constant divisor has none.
seventh(x) = div(x, 7)
ratio(x, y) = div(x, y)

#: emitted 'seventh(Int64)'
#: not: icmp eq i64 %15, 0
#: check: sdiv i64 %15, 7
#: emitted 'ratio(Int64, Int64)'
#: check: icmp eq i64 %16, 0
#: check: sdiv i64 %15, %16
