-- One request every 5 ms and connection.
function delay()
    return 5
end
