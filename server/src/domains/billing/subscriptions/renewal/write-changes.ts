import type { EventType } from '../../../../core/event-types.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { planOnce } from '../../../../platform/postgres/plan-once.ts';
import { appendEvents } from '../../../webhooks/events/append-events.cte.ts';
import { type InvoiceDraft, issueInvoices } from '../../invoices/issue/issue.ts';
import type { InvoiceRow } from '../../invoices/statements.ts';
import { eventDraftOf } from '../events.ts';
import { msOf, timeOf } from '../rules.ts';
import { type PendingLine, pendingLinesOf, type SubscriptionWithTerms } from '../statements.ts';
import { eventOf } from '../states.ts';
import { type Carried, type ChangeLine, carriedLinesOf, invoiceLinesOf, type Line } from './invoice-lines.ts';
import { type ChangedRows, type CollectionRow, type LineRow, saveRows } from './write-statements.ts';

/** ELSEWHERE: the rest of a period that a former system has billed. */
type UnbilledKind = 'TRIAL' | 'PAUSED' | 'ELSEWHERE';

/** A change of a locked subscription: its row before and after, and the rows that the change adds. */
export interface Change {
  before: SubscriptionWithTerms;
  after: SubscriptionWithTerms;
  /** When it happens, in the customer's time. */
  atMs: number;
  /** Credits and charges for the next invoice. */
  lines?: readonly ChangeLine[];
  /** An invoice to issue: for a period that begins, or only for pending credits and charges. */
  invoice?: { period: { line: Line; startMs: number; endMs: number } | undefined };
  /** Time that is not billed here. */
  unbilled?: { kind: UnbilledKind; start_at: string; end_at: string };
  /** The collections of the subscription that change, in their new state. */
  collections?: readonly CollectionRow[];
  /** The event type of a new subscription. Otherwise the states decide it. */
  eventType?: EventType;
}

/**
 * Writes changes of many subscriptions in a bounded number of statements: their invoices, then all rows of this module,
 * then the events. A transaction that locks more than one subscription must call it only once: it locks the number
 * counters of tenants in order, and nothing may be locked after them.
 */
export async function writeChanges(
  transaction: Queryable,
  changes: readonly Change[],
  { generateUuid }: { generateUuid: GenerateUuid },
): Promise<void> {
  if (changes.length === 0) return;
  await planOnce(transaction, changes.length);
  const drafts = await draftInvoices(transaction, changes);
  const issued = await issueInvoices(
    transaction,
    drafts.map(({ draft }) => draft),
    generateUuid,
  );
  // Without a new version, only collections have changed, and there is no event.
  const versioned = changes.filter(({ before, after }) => before.version !== after.version);
  await saveRows(transaction, rowsOf(changes, versioned, drafts, issued));
  await appendEvents(
    transaction,
    versioned.map(({ before, after, eventType }) =>
      eventDraftOf(eventType ?? eventOf(before.state, after.state), after, generateUuid()),
    ),
  );
}

interface DraftedInvoice {
  change: Change;
  draft: InvoiceDraft;
  /** Earlier credits and charges that the invoice includes. */
  pending: PendingLine[];
  /** Credits that exceed the charges and are carried to the next invoice. */
  carried: readonly Carried[];
}

async function draftInvoices(transaction: Queryable, changes: readonly Change[]): Promise<DraftedInvoice[]> {
  const invoiced = changes.filter(({ invoice }) => invoice !== undefined);
  if (invoiced.length === 0) return [];
  const found = await pendingLinesOf(
    transaction,
    invoiced.map(({ after }) => after),
  );
  const pendingOf = Map.groupBy(found, ({ subscription_id }) => subscription_id);
  return invoiced.map((change) => {
    const { after, atMs, invoice, lines: added = [] } = change;
    const pending = pendingOf.get(after.id) ?? [];
    const period = invoice?.period;
    const { lines, carried } = invoiceLinesOf(period?.line, [...pending, ...added], { isLast: endsWithPeriod(change) });
    const draft: InvoiceDraft = {
      tenantId: after.tenant_id,
      livemode: after.livemode,
      customerId: after.customer_id,
      userId: after.user_id,
      currency: after.currency,
      channelId: after.channel_id ?? after.next_plan_channel_id,
      subscriptionId: after.id,
      clockId: after.clock_id,
      periodStartMs: period?.startMs ?? null,
      periodEndMs: period?.endMs ?? null,
      dueMs: atMs,
      issuedMs: atMs,
      description: null,
      metadata: after.metadata,
      lines,
    };
    return { change, draft, pending, carried };
  });
}

/** All rows of this module that the changes write. */
function rowsOf(
  changes: readonly Change[],
  versioned: readonly Change[],
  drafts: readonly DraftedInvoice[],
  issued: readonly InvoiceRow[],
): ChangedRows {
  const invoiced = drafts.map((drafted, i) => rowsOfInvoice(drafted, issued[i] as InvoiceRow));
  return {
    rows: versioned.map(({ before, after }) => ({ ...after, from_state: before.state, from_version: before.version })),
    periods: [
      ...changes.flatMap(({ after, unbilled }) =>
        unbilled === undefined ? [] : [{ ...keyOf(after), ...unbilled, invoice_id: null }],
      ),
      ...invoiced.flatMap(({ periods }) => periods),
    ],
    collections: [
      ...changes.flatMap(({ collections = [] }) => collections),
      ...invoiced.flatMap(({ collections }) => collections),
    ],
    lines: [
      ...changes
        .filter(({ invoice }) => invoice === undefined)
        .flatMap(({ after, atMs, lines = [] }) =>
          lines.map((line) => ({ ...keyOf(after), ...line, created_at: timeOf(atMs), invoice_id: null })),
        ),
      ...invoiced.flatMap(({ lines }) => lines),
    ],
    invoicedLines: invoiced.flatMap(({ invoicedLines }) => invoicedLines),
  };
}

/** The rows that an issued invoice adds: its period, its charge, and the credits and charges that it includes. */
function rowsOfInvoice(
  { change, pending, carried }: DraftedInvoice,
  { id: invoice_id, status }: InvoiceRow,
): Omit<ChangedRows, 'rows'> {
  const key = keyOf(change.after);
  const now = timeOf(change.atMs);
  const period = change.invoice?.period;
  const isPaid = status === 'PAID';
  const collection: CollectionRow = {
    ...key,
    invoice_id,
    clock_id: change.after.clock_id,
    state: isPaid ? 'SETTLED' : 'DUE',
    failures: 0,
    due_at: isPaid ? null : now,
    method_id: null,
    retry: null,
    scheduled_at: null,
    announced_method_id: null,
  };
  const lines: LineRow[] = (change.lines ?? []).map((line) => ({ ...key, ...line, created_at: now, invoice_id }));
  for (const amount of carried) {
    const { out, in: into } = carriedLinesOf(amount, { isLast: endsWithPeriod(change) });
    lines.push({ ...key, ...out, created_at: now, invoice_id }, { ...key, ...into, created_at: now, invoice_id: null });
  }
  return {
    periods:
      period === undefined
        ? []
        : [{ ...key, start_at: timeOf(period.startMs), end_at: timeOf(period.endMs), kind: 'BILLED', invoice_id }],
    collections: [collection],
    lines,
    invoicedLines: pending.map(({ id }) => ({ ...key, id, invoice_id })),
  };
}

/** The subscription ends when the period that is invoiced does. */
const endsWithPeriod = ({ after: { end_at }, invoice }: Change) =>
  end_at !== null && invoice?.period !== undefined && msOf(end_at) <= invoice.period.endMs;

const keyOf = ({ tenant_id, id }: SubscriptionWithTerms) => ({ tenant_id, subscription_id: id });

/** The unbilled time between two times; nothing when they are equal. */
export function unbilledTime(kind: UnbilledKind, start_at: string, end_at: string): Pick<Change, 'unbilled'> {
  return msOf(start_at) < msOf(end_at) ? { unbilled: { kind, start_at, end_at } } : {};
}
