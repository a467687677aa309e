-- Users and their orders.
BEGIN;

CREATE TABLE IF NOT EXISTS users (
    id         BIGSERIAL PRIMARY KEY,
    email      VARCHAR(255) NOT NULL UNIQUE,
    name       TEXT NOT NULL DEFAULT '',
    created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now()
);

CREATE TABLE orders (
    id INTEGER NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    total NUMERIC(12, 2) CHECK (total >= 0),
    status TEXT
);

CREATE INDEX idx_orders_user_id ON orders (user_id);
ALTER TABLE orders ADD COLUMN paid_at TIMESTAMP;

INSERT INTO users (email, name) VALUES ('alice@example.com', 'Alice'), ('bob@example.com', 'Bob');

SELECT u.name, COUNT(*) AS orders, SUM(o.total) AS revenue
FROM users u
LEFT JOIN orders o ON o.user_id = u.id
WHERE o.created_at >= '2024-01-01' AND o.status IN ('paid', 'shipped')
GROUP BY u.name
HAVING COUNT(*) > 1
ORDER BY revenue DESC
LIMIT 10;

COMMIT;
