doubled(x) = 2x
tripled(x) = 3x
