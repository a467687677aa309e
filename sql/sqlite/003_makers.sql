-- What the links of each maker add up to, so that a token's quota is looked up and not counted.
-- Triggers keep it, whoever writes: no way of removing a link can forget it. Links without a maker
-- cost nothing. A payload is looked at when its pages are visited anyway.

CREATE TABLE makers (
    maker BLOB NOT NULL PRIMARY KEY CHECK (length(maker) = 32),
    links INTEGER NOT NULL,
    bytes INTEGER NOT NULL      -- of their payloads
) STRICT, WITHOUT ROWID;

INSERT INTO makers (maker, links, bytes)
    SELECT maker, count(*), sum(length(CAST(payload AS BLOB))) FROM artifacts
    WHERE maker IS NOT NULL GROUP BY maker;

CREATE TRIGGER makers_insert AFTER INSERT ON artifacts WHEN new.maker IS NOT NULL BEGIN
    INSERT INTO makers (maker, links, bytes)
        VALUES (new.maker, 1, length(CAST(new.payload AS BLOB)))
        ON CONFLICT (maker) DO UPDATE SET links = links + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER makers_update AFTER UPDATE OF payload ON artifacts WHEN new.maker IS NOT NULL BEGIN
    UPDATE makers SET bytes = bytes + length(CAST(new.payload AS BLOB))
                                    - length(CAST(old.payload AS BLOB))
        WHERE maker = new.maker;
END;

CREATE TRIGGER makers_delete AFTER DELETE ON artifacts WHEN old.maker IS NOT NULL BEGIN
    UPDATE makers SET links = links - 1, bytes = bytes - length(CAST(old.payload AS BLOB))
        WHERE maker = old.maker;
    DELETE FROM makers WHERE maker = old.maker AND links = 0;
END;
