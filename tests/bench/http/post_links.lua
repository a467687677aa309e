-- POSTs payloads of so many characters, no two alike: wrk -s post_links.lua URL -- CHARACTERS
local filler
local count = 0

function init(arguments)
    local characters = {}
    local alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
    math.randomseed(os.time())
    for i = 1, tonumber(arguments[1]) - 12 do
        local at = math.random(#alphabet)
        characters[i] = alphabet:sub(at, at)
    end
    filler = table.concat(characters)
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    count = count + 1
    return wrk.format("POST", nil, nil, string.format('{"payload":"b%011d%s"}', count, filler))
end
