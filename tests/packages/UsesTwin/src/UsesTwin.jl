# A package that loads the second of two packages of one name.
module UsesTwin
using Twin
end
