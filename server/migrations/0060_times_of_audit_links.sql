-- When an entry of the audit log was chained, in whole milliseconds and never before the entry before it. The hash covers it: an
-- entry that is inserted with an old time of its own is found by the time of its link. Null: chained by an older release,
-- whose hashes do not cover it.
alter table audit_entry add column chained_at timestamptz;
alter table audit_chain add column chained_at timestamptz;

-- A log begins with the creation of its tenant, or after expired entries. For the platform, which nobody creates, and for logs that
-- began otherwise before this rule, an entry notes where: the first entry that was there, if there was one.
insert into audit_entry (tenant_id, id, body, action, record_type)
select tenant_id, hex::uuid,
       '{"id":"aud_' || hex || '","tenantId":' || case tenant_id when 0 then 'null' else '"' || tenant_id || '"' end
         || ',"time":"' || to_char(to_timestamp(ms / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
         || '","action":"audit.begin","recordType":"audit","recordId":null,"userId":null,"userName":null,"by":"system","keyId":null,'
         || '"address":null,"requestId":null,"changes":{},"details":{"firstId":'
         || coalesce('"aud_' || replace(first_id::text, '-', '') || '"', 'null') || '}}',
       'audit.begin', 'audit'
  from (
    select tenant.id as tenant_id, first.id as first_id, ms,
           lpad(to_hex(ms), 12, '0') || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14) as hex
      from tenant
      left join lateral (
        select id, action, record_id from audit_entry
         where tenant_id = tenant.id order by seq nulls last, id limit 1
      ) as first on true
     cross join lateral (select (extract(epoch from clock_timestamp()) * 1000)::bigint + 0 * tenant.id as ms) as now
     where first.id is null or first.action <> 'tenant.create' or first.record_id is distinct from tenant.id::text
  ) as noted;
