# A package nobody has.
using NoSuchPackage
