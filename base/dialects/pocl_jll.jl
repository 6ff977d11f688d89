# The driver that programs of OpenCL.jl load for the processor, under its package's name. There is no library: kiln's own device is there
# without it.
module pocl_jll

is_available() = true

end
