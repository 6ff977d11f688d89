# The module has another name than the package.
module Named
end
