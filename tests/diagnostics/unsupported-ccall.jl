# What kiln does not do is said by name.
ccall(:clock, Int32, ())
