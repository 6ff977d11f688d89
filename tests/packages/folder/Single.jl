# A package of one file.
module Single
end
