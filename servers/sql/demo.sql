-- The shop of the demo: everything is made by counting, so that it is the same everywhere.
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  city TEXT NOT NULL,
  country TEXT NOT NULL,
  joined TEXT NOT NULL -- date
);
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  category TEXT NOT NULL,
  price REAL NOT NULL, -- euros
  stock INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  ordered TEXT NOT NULL, -- date
  status TEXT NOT NULL DEFAULT 'new' -- new, paid, shipped, returned
);
CREATE TABLE order_items (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  product_id INTEGER NOT NULL REFERENCES products (id),
  quantity INTEGER NOT NULL,
  price REAL NOT NULL, -- euros, as it was then
  PRIMARY KEY (order_id, product_id)
);

INSERT INTO customers VALUES
  (1, 'Hanna Berg', 'Oslo', 'Norway', '2024-01-12'), (2, 'Luca Moretti', 'Turin', 'Italy', '2024-01-30'),
  (3, 'Amara Nwosu', 'Lagos', 'Nigeria', '2024-02-11'), (4, 'Pieter de Vries', 'Utrecht', 'Netherlands', '2024-02-28'),
  (5, 'Sofia Castro', 'Porto', 'Portugal', '2024-03-15'), (6, 'Jonas Keller', 'Hamburg', 'Germany', '2024-04-02'),
  (7, 'Mei Tanaka', 'Osaka', 'Japan', '2024-05-19'), (8, 'Claire Dubois', 'Lyon', 'France', '2024-06-23'),
  (9, 'Owen Hughes', 'Cardiff', 'United Kingdom', '2024-08-07'), (10, 'Ines Ferreira', 'Lisbon', 'Portugal', '2024-09-14'),
  (11, 'Anton Weber', 'Berlin', 'Germany', '2024-11-01'), (12, 'Freya Lund', 'Aarhus', 'Denmark', '2025-01-20'),
  (13, 'Mateo Ruiz', 'Valencia', 'Spain', '2025-03-08'), (14, 'Greta Huber', 'Graz', 'Austria', '2025-05-27'),
  (15, 'Nils Eriksson', 'Uppsala', 'Sweden', '2025-08-16'), (16, 'Zofia Nowak', 'Gdansk', 'Poland', '2025-10-30');

INSERT INTO products VALUES
  (1, 'Teapot, duck', 'kitchen', 34.5, 12), (2, 'Teapot, plain', 'kitchen', 24, 40),
  (3, 'Cup with a handle', 'kitchen', 8.9, 130), (4, 'Cup without a handle', 'kitchen', 7.9, 3),
  (5, 'Label printer', 'office', 119, 7), (6, 'Labels, 500', 'office', 14.25, 260),
  (7, 'Desk lamp', 'office', 49, 0), (8, 'Notebook, dotted', 'office', 6.4, 310),
  (9, 'Wool blanket', 'home', 79, 18), (10, 'Candle, beeswax', 'home', 11.5, 95),
  (11, 'Doormat, "not now"', 'home', 22, 31), (12, 'Umbrella', 'outdoor', 27.8, 0);

WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 240)
INSERT INTO orders SELECT n, 1 + n * 7 % 16, date('2026-01-02', '+' || (n * 4 / 3) || ' days'),
  CASE WHEN n > 232 THEN 'new' WHEN n > 224 THEN 'paid' WHEN n % 17 = 0 THEN 'returned' ELSE 'shipped' END
FROM number;

WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 2)
INSERT INTO order_items SELECT o.id, p.id, 1 + (o.id + n) % 3, p.price
FROM orders o JOIN number ON n <= o.id % 3 JOIN products p ON p.id = 1 + (o.id * 5 + n * 4) % 12;

CREATE VIEW monthly_revenue AS
SELECT substr(o.ordered, 1, 7) AS month, count(DISTINCT o.id) AS orders, round(sum(i.quantity * i.price), 2) AS revenue
FROM orders o JOIN order_items i ON i.order_id = o.id WHERE o.status <> 'returned' GROUP BY 1 ORDER BY 1;
