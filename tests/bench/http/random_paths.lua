-- Asks for a path of a file at random: wrk -s random_paths.lua URL -- FILE
local requests = {}

function init(arguments)
    for path in io.lines(arguments[1]) do
        requests[#requests + 1] = wrk.format(nil, path)
    end
    math.randomseed(1)
end

function request()
    return requests[math.random(#requests)]
end
