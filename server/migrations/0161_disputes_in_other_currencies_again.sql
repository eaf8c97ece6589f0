-- A bank can take money again after a person has said what it had taken: each time a person has to say it.
drop index discrepancy_of_dispute;
create unique index discrepancy_of_dispute on discrepancy (tenant_id, dispute_id)
  where dispute_id is not null and state = 'OPEN';
