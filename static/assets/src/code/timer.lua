--- Timers that run when `update` is called.
-- @module timer
local floor, sort = math.floor, table.sort
local pairs, type = pairs, type

local Timer = {}
Timer.__index = Timer

--- Create a timer.
-- @param delay seconds until it fires
-- @param fn function to call
-- @return the timer
local function new(delay, fn)
    if type(fn) ~= 'function' then
        error('function expected, got ' .. type(fn), 2)
    end
    local self = setmetatable({ left = delay, fn = fn }, Timer)
    return self
end

function Timer:update(dt)
    self.left = self.left - dt
    if self.left <= 0 and not self.done then
        self.done = true
        for name, value in pairs(self.listeners or {}) do
            value(name)
        end
    elseif self.paused then
        return nil
    end
    return self
end

return { new = new }
