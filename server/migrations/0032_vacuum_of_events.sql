-- Events are vacuumed after every 20,000 of them instead of after a fifth of the table: while their pages are in memory and have
-- been written since the last checkpoint. Marking an older page as visible to all makes PostgreSQL write the whole page to
-- the WAL, which was 40 % of the WAL of a payment (docs/decisions, What slow creates wait for).
alter table event set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);
