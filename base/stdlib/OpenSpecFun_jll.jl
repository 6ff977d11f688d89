# The name of the library OpenSpecFun. kiln has none of its functions: each is an error where it is called, with its name.
module OpenSpecFun_jll

export libopenspecfun
const libopenspecfun = "libopenspecfun"
is_available() = false

end
