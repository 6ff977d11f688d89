# What kiln knows of this dialect: see `Base.Device.register_dialect`.
Kernels.register_dialect((;
    home = OpenCL,
    method_table,
    printing = "`OpenCL.@println`, `OpenCL.@print` or `OpenCL.@printf`",
    printing_parts = "`OpenCL.@println`",
    group_memory = "`CLLocalArray(T, dims)`",
    array_examples = ("CLDeviceVector{Float32,1}", "CLDeviceMatrix{Float32,1}"),
    arrays = "CLArray",
    launchers = "@opencl",
    rows = :OpenCL,
    row_names = ("CLDeviceArray", "CLDeviceVector", "CLDeviceMatrix")))
