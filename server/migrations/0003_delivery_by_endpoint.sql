-- Deliveries of each endpoint in the order of their due time, so that a claim takes the oldest of each endpoint. Parked
-- deliveries (column aside) no longer exist.
create index delivery_by_endpoint on delivery (endpoint_id, due_at) where state = 'OPEN';
drop index delivery_due;
drop index delivery_aside;
alter table delivery drop column aside;
create index delivery_due on delivery (due_at) where state = 'OPEN';
