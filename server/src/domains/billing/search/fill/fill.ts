import { type Clock, minuteMs, secondMs } from '../../../../core/clock.ts';
import { leastUuidAt, uuidOfPublicId } from '../../../../core/id.ts';
import type { Queryable, Transactional } from '../../../../platform/postgres/database.ts';
import { entryIdOf, numberOfEntry } from '../entry-id.ts';
import {
  type AuditedRow,
  customersOfMethods,
  type EventRow,
  insertDue,
  readAudited,
  readChanges,
  readUnentered,
  refillPayments,
  refillStatements,
  takeDue,
} from './change-statements.ts';
import { entriesOf, noRecords, type Records } from './entries.ts';
import {
  insertProgress,
  lockProgress,
  type ProgressRow,
  refillOrder,
  saveProgress,
  unfinishedTenants,
} from './progress-statements.ts';
import { entryValues, writeEntries } from './record-statements.ts';

/** The ids of events are older than their commits: most events of this age can be seen. */
const settledMs = 2 * secondMs;
/** And all events of this age, after a stall. */
const visibleMs = minuteMs;
/** Records of one transaction. */
const sliceSize = 200;
const eventsPerSlice = 3 * sliceSize;
/** Events that are looked at again need only be compared with the entries. */
const checkedPerSlice = 2_000;

export interface FillDeps {
  database: Transactional;
  clock: Clock;
}

/**
 * Makes the entries of what has changed, tenant by tenant, until nothing is left or the time is over. Returns the
 * tenants that are left, which come first the next time.
 */
export async function fillEntries(deps: FillDeps, budgetMs: number, first: readonly number[] = []): Promise<number[]> {
  const { database, clock } = deps;
  const startedMs = performance.now();
  const nowMs = clock();
  await database.run(insertProgress, [leastUuidAt(nowMs - visibleMs)]);
  const bounds = { settled: leastUuidAt(nowMs - settledMs), visible: leastUuidAt(nowMs - visibleMs) };
  const unfinished = new Set(
    (await database.run(unfinishedTenants, [bounds.settled, bounds.visible])).map(({ tenant_id }) => tenant_id),
  );
  const left = [
    ...first.filter((tenant) => unfinished.has(tenant)),
    ...[...unfinished].filter((tenant) => !first.includes(tenant)),
  ];
  while (left.length > 0 && performance.now() - startedMs < budgetMs) {
    const tenantId = left.shift() as number;
    const hasMore = await database.transaction((transaction) => fillSlice(transaction, tenantId, bounds));
    if (hasMore) left.push(tenantId);
  }
  return left;
}

interface Bounds {
  settled: string;
  visible: string;
}

/** Whether there may be more. */
async function fillSlice(transaction: Queryable, tenantId: number, bounds: Bounds): Promise<boolean> {
  const [progress] = await transaction.run(lockProgress, [tenantId]);
  // Another node is filling it.
  if (progress === undefined) return false;
  const { event_id, checked_event_id, audit_seq } = progress;
  const due = await transaction.run(takeDue, [tenantId, sliceSize]);
  const changes = await transaction.run(readChanges, [tenantId, event_id, bounds.settled, eventsPerSlice]);
  const unentered = await transaction.run(readUnentered, [tenantId, checked_event_id, bounds.visible, checkedPerSlice]);
  const audited = await transaction.run(readAudited, [tenantId, audit_seq, sliceSize]);

  const records = noRecords();
  for (const { kind, id } of due) add(records, kind, kind === 'payment' ? id : String(numberOfEntry(id)));
  const methods = new Set<string>();
  for (const event of [...changes, ...unentered]) addChanged(records, methods, event);
  for (const entry of audited) addAudited(records, entry);
  if (methods.size > 0) {
    for (const { id } of await transaction.run(customersOfMethods, [tenantId, [...methods]])) records.customer.add(id);
  }
  const isRefill = progress.refill_kind !== null && sizeOf(records) < sliceSize;
  const refilled = isRefill ? await refill(transaction, progress, records) : progress;

  await write(transaction, tenantId, records);
  await transaction.run(saveProgress, [
    tenantId,
    changes.at(-1)?.id ?? event_id,
    unentered.at(-1)?.id ?? checked_event_id,
    audited.at(-1)?.seq ?? audit_seq,
    refilled.refill_kind,
    refilled.refill_below,
  ]);
  return (
    refilled.refill_kind !== null ||
    due.length === sliceSize ||
    changes.length === eventsPerSlice ||
    audited.length === sliceSize
  );
}

/** Events after which a payment is found by other words. `transaction.update` is in the audit log. */
const changesOfPayments = new Set<string>(['transaction.created', 'transaction.succeeded']);

function addChanged(records: Records, methods: Set<string>, { type, object_id }: EventRow): void {
  const [noun] = type.split('.');
  if (noun === 'transaction') {
    if (changesOfPayments.has(type)) add(records, 'payment', uuidOfPublicId('txn', object_id));
  } else if (noun === 'payment_method') {
    const id = uuidOfPublicId('mtd', object_id);
    if (id !== undefined) methods.add(id);
  } else if (noun === 'customer' || noun === 'invoice' || noun === 'subscription') {
    add(records, noun, object_id.split('_')[1]);
  }
}

function addAudited(records: Records, { record_type, record_id }: AuditedRow): void {
  if (record_id === null) return;
  if (record_type === 'transaction') add(records, 'payment', uuidOfPublicId('txn', record_id));
  else if (record_type === 'customer' || record_type === 'invoice' || record_type === 'subscription') {
    add(records, record_type, record_id.replace(/^[a-z]+_/, ''));
  }
}

function add(records: Records, kind: keyof Records, id: string | undefined): void {
  if (id === undefined) return;
  if (kind === 'payment') records.payment.add(id);
  else if (Number.isSafeInteger(Number(id))) records[kind].add(Number(id));
}

const sizeOf = (records: Records) => Object.values(records).reduce((sum, { size }) => sum + size, 0);

/** Adds the newest records below those that were read before, and returns where they end. */
async function refill(
  transaction: Queryable,
  { tenant_id, refill_kind, refill_below }: ProgressRow,
  records: Records,
): Promise<Pick<ProgressRow, 'refill_kind' | 'refill_below'>> {
  const kind = refill_kind as NonNullable<typeof refill_kind>;
  let lowest: string | undefined;
  let count: number;
  if (kind === 'payment') {
    const rows = await transaction.run(refillPayments, [tenant_id, refill_below, sliceSize]);
    for (const { id } of rows) records.payment.add(id);
    lowest = rows.at(-1)?.id;
    count = rows.length;
  } else {
    const below = refill_below === null ? null : numberOfEntry(refill_below);
    const rows = await transaction.run(refillStatements[kind], [tenant_id, below, sliceSize]);
    for (const { id } of rows) records[kind].add(id);
    const last = rows.at(-1);
    lowest = last && entryIdOf(last.id);
    count = rows.length;
  }
  if (count === sliceSize) return { refill_kind: kind, refill_below: lowest ?? null };
  return { refill_kind: refillOrder[refillOrder.indexOf(kind) + 1] ?? null, refill_below: null };
}

/** Writes the entries. Those of a customer's records are made again when the customer has other words. */
async function write(transaction: Queryable, tenantId: number, records: Records): Promise<void> {
  const entries = await entriesOf(transaction, tenantId, records);
  if (entries.length === 0) return;
  const written = await transaction.run(writeEntries, entryValues(tenantId, entries));
  const renamed = written.filter(({ kind, is_change }) => kind === 'customer' && is_change);
  if (renamed.length > 0) await transaction.run(insertDue, [tenantId, renamed.map(({ id }) => numberOfEntry(id))]);
}
