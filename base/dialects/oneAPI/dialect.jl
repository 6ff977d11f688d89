# What kiln knows of this dialect: see `Base.Device.register_dialect`.
Kernels.register_dialect((;
    home = oneAPI,
    method_table,
    printing = "`oneAPI.@println`, `oneAPI.@print` or `oneAPI.@printf`",
    printing_parts = "`oneAPI.@println`",
    group_memory = "`oneLocalArray(T, dims)`",
    array_examples = ("oneDeviceVector{Float32,1}", "oneDeviceMatrix{Float32,1}"),
    arrays = "oneArray",
    launchers = "@oneapi",
    rows = :oneAPI,
    row_names = ("oneDeviceArray", "oneDeviceVector", "oneDeviceMatrix")))
