# Another trigger.
module Other
end
