import { columns } from '../../../platform/postgres/columns.ts';
import { statement, type Topic } from '../../../platform/postgres/statement.ts';

/** There are entries to chain. */
export const auditDue: Topic = 'audit';

/** An entry to write. The database adds its id and time. */
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
  /** Null as `seq`, and where an older release chained the entry. */
  chained_at: string | null;
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
 * Entries are dated by the database's clock, which all nodes share. The id is a UUIDv7 with the microseconds in its
 * counter (RFC 9562, section 6.2, method 3), so that the entries of one node sort in the order in which they were
 * written.
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
