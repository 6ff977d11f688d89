# A package in a folder of packages.
module Checked
end
