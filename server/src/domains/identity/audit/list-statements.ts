import { listFilters } from '../../../platform/lists/filters.ts';
import { firstFilter, type RowSource, readStatement } from '../../../platform/lists/list-statements.ts';
import type { EntryRow } from './statements.ts';

/** The filters of the list, on `audit_entry entry`. */
export const entryFilters = listFilters({
  recordType: { type: 'text', condition: (value) => `entry.record_type = ${value}` },
  /** With `recordType`: together they have an index. */
  recordId: { type: 'text', condition: (value) => `entry.record_id = ${value}` },
  action: { type: 'text', condition: (value) => `entry.action = ${value}` },
  userId: { type: 'bigint', condition: (value) => `entry.user_id = ${value}` },
});

const source: RowSource = { from: 'audit_entry entry', alias: 'entry', key: 'uuid' };

const columns = 'entry.tenant_id, entry.id, entry.body, entry.seq, entry.hash, entry.chained_at';

const ofRecord = [
  entryFilters.conditionOf('recordType', firstFilter),
  entryFilters.conditionOf('recordId', firstFilter),
];

export const readEntriesOfRecord = readStatement<EntryRow>(
  'audit.read_of_record',
  { ...source, condition: ofRecord.join(' and ') },
  columns,
  entryFilters,
);

export const readAllEntries = readStatement<EntryRow>('audit.read_all', source, columns, entryFilters);
