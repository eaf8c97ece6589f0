import { columns } from '../../../platform/postgres/columns.ts';
import type { Topic } from '../../../platform/postgres/notifications/topics.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** Entries wait to be chained. */
export const auditDue: Topic = 'audit';

/** An entry that is not written yet. The database adds id and time. */
export interface EntryDraft {
  tenantId: number;
  action: string;
  recordType: string;
  recordId: string | null;
  userId: number | null;
  /** The tenant as the API shows it, as JSON. */
  tenantJson: string;
  /** The fields from `action` on, as JSON without the opening brace. */
  fieldsJson: string;
}

export interface EntryRow {
  tenant_id: number;
  id: string;
  body: string;
  /** Null until the entry is chained. */
  seq: number | null;
  hash: Buffer | null;
}

export const entryColumns = columns<EntryDraft>([
  ['tenant_id', 'bigint', ({ tenantId }) => tenantId],
  ['action', 'text', ({ action }) => action],
  ['record_type', 'text', ({ recordType }) => recordType],
  ['record_id', 'text', ({ recordId }) => recordId],
  ['user_id', 'bigint', ({ userId }) => userId],
  ['tenant_json', 'text', ({ tenantJson }) => tenantJson],
  ['fields_json', 'text', ({ fieldsJson }) => fieldsJson],
]);

/**
 * Dated by the database's clock, the one clock that all nodes share. The id is a UUIDv7 with the microseconds in its
 * counter (RFC 9562, section 6.2, method 3), so that the entries of one node sort in the order in which they were written.
 */
export const appendEntries = statement(
  'audit.append',
  `with dated as materialized (
     select entry.*, (extract(epoch from clock_timestamp()) * 1000000)::bigint as us,
            substr(replace(gen_random_uuid()::text, '-', ''), 17) as random
       from (${entryColumns.relation()}) as entry
   ), identified as materialized (
     select dated.*, to_timestamp(us / 1000 / 1000.0) at time zone 'UTC' as at,
            lpad(to_hex(us / 1000), 12, '0') || '7' || lpad(to_hex(us % 1000 * 4096 / 1000), 3, '0') || random as hex
       from dated
   )
   insert into audit_entry (tenant_id, id, body, action, record_type, record_id, user_id)
   select tenant_id, hex::uuid,
          '{"id":"aud_' || hex || '","tenantId":' || tenant_json || ',"time":"'
            || to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '",' || fields_json,
          action, record_type, record_id, user_id
     from identified`,
  { wakes: [{ topic: auditDue }] },
);

export const auditedTenants = statement<{ id: number }>('audit.tenants', 'select id from tenant');

/**
 * A page, newest first. Reads at most $4 entries of each tenant, and returns those that pass the filters. `bound` is the
 * lowest id down to which the page is complete, or null when every entry was read; each row repeats it, and an empty page
 * is one row without an id. Values: tenants, first id, id after the last, entries to read for each tenant, record type,
 * record id, action, user, limit. A filter that is null lets everything pass.
 */
export const listEntries = statement<EntryRow & { bound: string | null }>(
  'audit.list',
  `with scanned as materialized (
     select near.*
       from unnest($1::bigint[]) as visible (tenant_id)
      cross join lateral (
        select tenant_id, id, action, record_type, user_id from audit_entry
         where tenant_id = visible.tenant_id and id >= $2::uuid and id < $3::uuid
           and ($6::text is null or (record_type = $5 and record_id = $6))
         order by id desc limit $4::int
      ) as near
   ), bound as (
     select max(lowest)::uuid as id
       from (select min(id::text) as lowest from scanned group by tenant_id having count(*) = $4::int) as cut_off
   ), page as materialized (
     select scanned.tenant_id, scanned.id
       from scanned cross join bound
      where (bound.id is null or scanned.id >= bound.id)
        and ($5::text is null or scanned.record_type = $5)
        and ($7::text is null or scanned.action = $7)
        and ($8::bigint is null or scanned.user_id = $8)
      order by scanned.id desc limit $9::int
   )
   select row.*, bound.id as bound
     from bound
     left join (
       select entry.tenant_id, entry.id, entry.body, entry.seq, entry.hash
         from page join audit_entry entry on entry.tenant_id = page.tenant_id and entry.id = page.id
     ) as row on true
    order by row.id desc`,
);
