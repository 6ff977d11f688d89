# A package that loads what it does not list.
module Unlisted

using Trigger
end
