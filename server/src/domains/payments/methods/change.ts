import { type Clock, isoTime } from '../../../core/clock.ts';
import type { EventType } from '../../../core/event-types.ts';
import { type GenerateUuid, publicId } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { appendEvents, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import type { CustomerKey, MethodCustomers } from './customers.ts';
import { type MethodRow, method } from './record.ts';
import { nextExpiryStep, nextReadMs } from './rules.ts';
import { insertMethods, lockDefault, methodInput, updateMethods } from './statements.ts';
import { nextStatuses } from './states.ts';

export interface MethodChangeDeps {
  clock: Clock;
  generateUuid: GenerateUuid;
  methodCustomers: MethodCustomers;
}

/** Columns to change of a method. */
export type MethodChange = Partial<Omit<MethodRow, 'tenant_id' | 'id' | 'version' | 'is_default'>>;

/** Writes a new method. One that is ACTIVE has its event, and may become the default of its locked customer. */
export async function insertMethod(transaction: Queryable, row: MethodRow, deps: MethodChangeDeps): Promise<MethodRow> {
  const isActive = row.status === 'ACTIVE';
  const isDefault = isActive && (await becomesDefault(transaction, row, deps));
  const inserted = withDueTimes(
    { ...row, is_default: isDefault, wants_default: isActive ? null : row.wants_default },
    deps,
  );
  await transaction.run(insertMethods, methodInput.parametersOf([inserted]));
  if (isActive) await appendMethodEvents(transaction, inserted, ['payment_method.attached'], deps);
  if (isDefault) await deps.methodCustomers.defaultChanged(transaction, customerOf(row));
  return inserted;
}

/**
 * Changes a locked method, with the event of its transition and further ones. A method that ends stops being the
 * default, and one that is attached may become it: then its customer is locked as well.
 */
export async function changeMethod(
  transaction: Queryable,
  before: MethodRow,
  change: MethodChange,
  deps: MethodChangeDeps,
  further: readonly EventType[] = [],
): Promise<MethodRow> {
  const status = change.status ?? before.status;
  const events = [...eventsOfTransition(before, status), ...further];
  const isAttached = before.status === 'PENDING' && status === 'ACTIVE';
  const isDefault = isAttached
    ? await becomesDefault(transaction, before, deps)
    : before.is_default && !hasEnded(status);
  const after = await write(transaction, before, { ...before, ...change, is_default: isDefault }, deps);
  await appendMethodEvents(transaction, after, events, deps);
  if (isDefault !== before.is_default) await deps.methodCustomers.defaultChanged(transaction, customerOf(before));
  else if (isAwaited(before) && !isAwaited(after)) {
    await deps.methodCustomers.setupAnswered(transaction, customerOf(before));
  }
  return after;
}

/** Whether the provider has not answered a setup yet. */
const isAwaited = ({ status, next_action }: MethodRow) => status === 'PENDING' && next_action === null;

/** Makes a usable method the default of its locked customer. Returns it as it is then. */
export async function makeDefault(transaction: Queryable, row: MethodRow, deps: MethodChangeDeps): Promise<MethodRow> {
  if (row.is_default) return row;
  await clearDefault(transaction, row, deps);
  const after = await write(transaction, row, { ...row, is_default: true }, deps);
  await deps.methodCustomers.defaultChanged(transaction, customerOf(row));
  return after;
}

/**
 * Makes a usable method the default of its locked customer if it was asked to be that (`isDefault`); null: if the
 * customer has none.
 */
export async function makeDefaultAsAsked(
  transaction: Queryable,
  row: MethodRow,
  isDefault: boolean | null,
  deps: MethodChangeDeps,
): Promise<void> {
  if (isDefault ?? (await defaultOf(transaction, row)) === undefined) await makeDefault(transaction, row, deps);
}

export const customerOf = ({ tenant_id, customer_id }: MethodRow): CustomerKey => ({
  tenantId: tenant_id,
  customerId: customer_id,
});

const hasEnded = (status: MethodRow['status']) => status !== 'PENDING' && status !== 'ACTIVE' && status !== 'EXPIRED';

function eventsOfTransition({ id, status: from }: MethodRow, to: MethodRow['status']): EventType[] {
  if (from === to) return [];
  const event = nextStatuses[from][to];
  if (event === undefined) throw new Error(`Payment method ${id} cannot become ${to}: it is ${from}.`);
  return [event];
}

/** Whether a method that is attached becomes the default of its locked customer. If so, the former one ends. */
async function becomesDefault(transaction: Queryable, row: MethodRow, deps: MethodChangeDeps): Promise<boolean> {
  if (row.wants_default === false) return false;
  if (row.wants_default === null) return (await defaultOf(transaction, row)) === undefined;
  await clearDefault(transaction, row, deps);
  return true;
}

async function clearDefault(transaction: Queryable, row: MethodRow, deps: MethodChangeDeps): Promise<void> {
  const former = await defaultOf(transaction, row);
  if (former !== undefined) await write(transaction, former, { ...former, is_default: false }, deps);
}

async function defaultOf(transaction: Queryable, row: MethodRow): Promise<MethodRow | undefined> {
  const [found] = await transaction.run(lockDefault, [row.tenant_id, row.customer_id]);
  return found;
}

async function write(
  transaction: Queryable,
  before: MethodRow,
  after: MethodRow,
  deps: MethodChangeDeps,
): Promise<MethodRow> {
  const time = isoTime(deps.clock());
  const isPending = after.status === 'PENDING';
  const row = withDueTimes(
    {
      ...after,
      next_action: isPending ? after.next_action : null,
      wants_default: isPending ? after.wants_default : null,
      version: before.version + 1,
      updated_at: time > before.updated_at ? time : before.updated_at,
    },
    deps,
  );
  const written = await transaction.run(updateMethods, methodInput.parametersOf([row]));
  if (written.length === 0) throw new Error(`Payment method ${before.id} changed while it was locked.`);
  return row;
}

function withDueTimes(row: MethodRow, { clock }: MethodChangeDeps): MethodRow {
  const nowMs = clock();
  const timeOf = (atMs: number | null) => (atMs === null ? null : isoTime(atMs));
  const expiry_due_at = timeOf(nextExpiryStep(row, nowMs)?.atMs ?? null);
  return { ...row, expiry_due_at, read_due_at: timeOf(nextReadMs(row, nowMs)) };
}

async function appendMethodEvents(
  transaction: Queryable,
  row: MethodRow,
  types: readonly EventType[],
  { generateUuid }: MethodChangeDeps,
): Promise<void> {
  if (types.length === 0) return;
  const { tenant_id: tenantId, livemode } = row;
  const subject = { tenantId, livemode, objectId: publicId('mtd', row.id), object: method.show(row) };
  const drafts = types.map((type) => eventDraft(type, subject, generateUuid()));
  await appendEvents(transaction, drafts);
}
