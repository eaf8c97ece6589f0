import type { EventType } from '../../../core/event-types.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { planOnce } from '../../../platform/postgres/plan-once.ts';
import { recordEvents } from '../../webhooks/events/append-events.cte.ts';
import { type InvoiceDraft, issueInvoices } from '../invoices/issue.ts';
import { eventDraftOf } from './record.ts';
import { invoiceLinesOf, type Line, msOf, timeOf } from './rules.ts';
import { type PendingLine, pendingLinesOf, type SubscriptionWithTerms } from './statements.ts';
import { eventOf } from './states.ts';
import { type ChargeRow, type LineRow, type PeriodRow, saveRows } from './write-statements.ts';

/** What is done to a subscription whose lock is held: its row as it was and as it will be, and what follows from that. */
export interface Change {
  before: SubscriptionWithTerms;
  after: SubscriptionWithTerms;
  /** When, in its customer's time. */
  atMs: number;
  /** Credits and charges that the next invoice takes up. */
  lines?: readonly { description: string; amount: number }[];
  /** An invoice of a period, or one of what has been gathered alone. */
  invoice?: { period: { line: Line; startMs: number; endMs: number } | undefined };
  /** Time that is not invoiced. */
  unbilled?: { kind: 'TRIAL' | 'PAUSED'; start_at: string; end_at: string };
  /** Those of its charges that change, as they stand afterwards. */
  charges?: readonly ChargeRow[];
  /** Instead of what the states tell: a subscription that has just been made. */
  eventType?: EventType;
}

export interface ChangeDeps {
  drawUuid: DrawUuid;
}

/**
 * Writes changes of many subscriptions, in a bounded number of statements however many they are: their invoices, then
 * everything of ours by one, then their events. To be called once in a transaction that locks more than one subscription:
 * it takes the numbers of tenants, in order, and no lock after them.
 */
export async function writeChanges(
  transaction: Queryable,
  changes: readonly Change[],
  { drawUuid }: ChangeDeps,
): Promise<void> {
  if (changes.length === 0) return;
  await planOnce(transaction, changes.length);
  const invoices = await draftInvoices(transaction, changes);
  const raised = await issueInvoices(
    transaction,
    invoices.map(({ draft }) => draft),
    drawUuid,
  );
  // Where only its charges change, a subscription has nothing to tell.
  const moved = changes.filter(({ before, after }) => before.version !== after.version);
  const periods: PeriodRow[] = changes.flatMap(({ after, unbilled }) =>
    unbilled === undefined ? [] : [{ ...keyOf(after), ...unbilled, invoice_id: null }],
  );
  const charges: ChargeRow[] = changes.flatMap(({ charges = [] }) => charges);
  const lines: LineRow[] = changes
    .filter(({ invoice }) => invoice === undefined)
    .flatMap(({ after, atMs, lines: added = [] }) =>
      added.map((line) => ({ ...keyOf(after), ...line, created_at: timeOf(atMs), invoice_id: null })),
    );
  const taken: { tenant_id: number; subscription_id: number; id: number; invoice_id: number }[] = [];
  for (const [i, { change, pending, carried }] of invoices.entries()) {
    const { id: invoice_id, status } = raised[i] as { id: number; status: string };
    const key = keyOf(change.after);
    const now = timeOf(change.atMs);
    const { period } = change.invoice as NonNullable<Change['invoice']>;
    if (period !== undefined) {
      const { startMs, endMs } = period;
      periods.push({ ...key, start_at: timeOf(startMs), end_at: timeOf(endMs), kind: 'BILLED', invoice_id });
    }
    const isPaid = status === 'PAID';
    charges.push({
      ...key,
      invoice_id,
      clock_id: change.after.clock_id,
      state: isPaid ? 'SETTLED' : 'DUE',
      failures: 0,
      due_at: isPaid ? null : now,
    });
    taken.push(...pending.map(({ id }) => ({ ...key, id, invoice_id })));
    lines.push(...(change.lines ?? []).map((line) => ({ ...key, ...line, created_at: now, invoice_id })));
    if (carried !== 0) {
      lines.push(
        { ...key, description: carriedOut, amount: -carried, created_at: now, invoice_id },
        { ...key, description: carriedIn, amount: carried, created_at: now, invoice_id: null },
      );
    }
  }
  await saveRows(transaction, {
    rows: moved.map(({ before, after }) => ({ ...after, from_state: before.state, from_version: before.version })),
    periods,
    charges,
    lines,
    invoicedLines: taken,
  });
  await recordEvents(
    transaction,
    moved.map(({ before, after, eventType: news }) =>
      eventDraftOf(news ?? eventOf(before.state, after.state), after, drawUuid()),
    ),
  );
}

const carriedOut = 'Credit carried to the next invoice';
const carriedIn = 'Credit carried from the invoice before';

interface DraftedInvoice {
  change: Change;
  draft: InvoiceDraft;
  pending: PendingLine[];
  carried: number;
}

async function draftInvoices(transaction: Queryable, changes: readonly Change[]): Promise<DraftedInvoice[]> {
  const invoiced = changes.filter(({ invoice }) => invoice !== undefined);
  if (invoiced.length === 0) return [];
  const found = await pendingLinesOf(
    transaction,
    invoiced.map(({ after }) => after),
  );
  const pendingOf = Map.groupBy(found, ({ subscription_id }) => subscription_id);
  return invoiced.flatMap((change) => {
    const { after, atMs, invoice, lines: added = [] } = change;
    const pending = pendingOf.get(after.id) ?? [];
    const period = invoice?.period;
    const { lines, carried } = invoiceLinesOf(period?.line, [...pending, ...added]);
    const draft: InvoiceDraft = {
      tenantId: after.tenant_id,
      customerId: after.customer_id,
      userId: after.user_id,
      currency: after.currency,
      channelId: after.channel_id ?? after.next_plan_channel_id,
      subscriptionId: after.id,
      periodStartMs: period?.startMs ?? null,
      periodEndMs: period?.endMs ?? null,
      dueMs: atMs,
      issuedMs: atMs,
      description: null,
      metadata: after.metadata,
      lines,
    };
    return [{ change, draft, pending, carried }];
  });
}

const keyOf = ({ tenant_id, id }: SubscriptionWithTerms) => ({ tenant_id, subscription_id: id });

/** The time between two moments of a subscription, or nothing where they are the same. */
export function unbilledTime(kind: 'TRIAL' | 'PAUSED', start_at: string, end_at: string): Pick<Change, 'unbilled'> {
  return msOf(start_at) < msOf(end_at) ? { unbilled: { kind, start_at, end_at } } : {};
}
