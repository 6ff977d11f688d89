# OpenLibm under its package's name. There is no library: `ccall` finds its functions by their names, as far as kiln has them.
module OpenLibm_jll

export libopenlibm
const libopenlibm = "libopenlibm"
is_available() = true

end
