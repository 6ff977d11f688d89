# A package that does not exist.
using NoSuchPackage
