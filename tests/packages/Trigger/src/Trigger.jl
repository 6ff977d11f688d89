# A trigger of extensions.
module Trigger
struct Thing end
end
