import { utcDay } from '../../../core/clock.ts';
import type { DrawUuid } from '../../../core/id.ts';
import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { appendPaidEvents } from './events.ts';
import { type LineInput, type PricedLines, priceLines } from './rules.ts';
import type { InvoiceRow } from './statements.ts';
import type { InvoiceStatus } from './states.ts';

/** An invoice about to be raised. Its amounts and totals follow from its lines (`priced`). */
export interface InvoiceDraft {
  tenantId: number;
  customerId: number;
  /** Who answers for it: payments that are made of it without being asked for are made in this user's name. */
  userId: number;
  currency: string;
  /** Through which channel it is to be paid; null: the customer's default. */
  channelId: number | null;
  subscriptionId: number | null;
  /** Together with the subscription unique: a period is invoiced once. Null for both, or for neither. */
  periodStartMs: number | null;
  periodEndMs: number | null;
  dueMs: number;
  /** When it is raised, in its customer's time. */
  issuedMs: number;
  description: string | null;
  /** Goes on to its payments, too. */
  metadata: Record<string, unknown> | null;
  lines: readonly LineInput[];
}

export type RaisedInvoice = InvoiceRow;

/**
 * Raises many invoices, finalized and numbered, in three statements however many they are; those with nothing to pay are
 * PAID from the beginning, and told. In a transaction of the caller's: the numbers of a tenant are locked until it ends, so
 * that they have no holes. Answers in the order of the drafts.
 */
export async function issueInvoices(
  transaction: Queryable,
  drafts: readonly InvoiceDraft[],
  drawUuid: DrawUuid,
): Promise<RaisedInvoice[]> {
  if (drafts.length === 0) return [];
  const numbers = await allocateNumbers(
    transaction,
    drafts.map(({ tenantId }) => tenantId),
  );
  const rows = await insertInvoices(
    transaction,
    drafts.map((draft, i) => {
      const totals = priceLines(draft.lines);
      const status = totals.total === 0 ? 'PAID' : 'OPEN';
      return { ...draft, totals: totals, status, number: numbers[i] as number, createdMs: draft.issuedMs };
    }),
  );
  await appendPaidEvents(
    transaction,
    rows.filter(({ status }) => status === 'PAID'),
    drawUuid,
  );
  return rows;
}

/** In the order of tenants, and after every other lock (`invoices.lock`). */
const advanceCounters = statement<{ tenant_id: number; last: number }>(
  'invoices.count_on',
  `insert into invoice_counter as counter (tenant_id, last)
   select tenant_id, count(*) from unnest($1::bigint[]) as asked (tenant_id) group by tenant_id order by tenant_id
   on conflict (tenant_id) do update set last = counter.last + excluded.last
   returning tenant_id, last`,
);

/** A number for each, by its tenant, in order. */
export async function allocateNumbers(transaction: Queryable, tenantIds: readonly number[]): Promise<number[]> {
  const counted = await transaction.run(advanceCounters, [plainArray(tenantIds)]);
  const next = new Map(counted.map(({ tenant_id, last }) => [tenant_id, last]));
  for (const tenantId of tenantIds) next.set(tenantId, (next.get(tenantId) as number) - 1);
  return tenantIds.map((tenantId) => {
    const number = (next.get(tenantId) as number) + 1;
    next.set(tenantId, number);
    return number;
  });
}

/** An invoice with all that follows from its lines. */
export interface NewInvoice extends Omit<InvoiceDraft, 'lines' | 'dueMs' | 'issuedMs'> {
  dueMs: number | null;
  totals: PricedLines;
  status: InvoiceStatus;
  number: number | null;
  createdMs: number;
}

/**
 * A line finds its invoice by its place in arrays: joined with `input`, 500 lines were compared with 500 invoices each. The
 * name of the sequence is looked up once, not for each row.
 */
const insertInvoicesWithLines = statement<{ place: number; id: number }>(
  'invoices.insert_many',
  `with input as (
     select row.*, nextval((select pg_get_serial_sequence('invoice', 'id')::regclass)) as id
       from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                   $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::date[], $14::bigint[],
                   $15::float8[], $16::float8[], $17::float8[]) with ordinality
         as row (tenant_id, customer_id, user_id, currency, status, number, subtotal, tax, total, channel_id,
                 description, metadata, due_date, subscription_id, period_start_ms, period_end_ms, created_ms, place)
   ), inserted as (
     insert into invoice (tenant_id, id, number, customer_id, status, currency, subtotal, tax, total, channel_id,
                          description, metadata, due_date, subscription_id, period_start, period_end, user_id,
                          created_at, finalized_at, paid_at, updated_at)
     select tenant_id, id, number, customer_id, status, currency, subtotal, tax, total, channel_id, description,
            metadata::json, due_date, subscription_id, to_timestamp(period_start_ms / 1000),
            to_timestamp(period_end_ms / 1000), user_id, to_timestamp(created_ms / 1000),
            case when status <> 'DRAFT' then to_timestamp(created_ms / 1000) end,
            case when status = 'PAID' then to_timestamp(created_ms / 1000) end, to_timestamp(created_ms / 1000)
       from input
   ), drawn as (
     select array_agg(id order by place) as ids from input
   ), lines as (
     insert into invoice_line (tenant_id, invoice_id, number, description, quantity, unit_amount, amount, tax_rate, tax_amount)
     select ($1::bigint[])[place], ids[place], number, description, quantity, unit_amount, amount, tax_rate, tax_amount
       from drawn
      cross join unnest($18::bigint[], $19::smallint[], $20::text[], $21::bigint[], $22::bigint[], $23::bigint[],
                        $24::int[], $25::bigint[])
         as line (place, number, description, quantity, unit_amount, amount, tax_rate, tax_amount)
   )
   select place, id from input order by place`,
);

/** Writes invoices with their lines, and gives them back as they stand, in order. */
export async function insertInvoices(transaction: Queryable, drafts: readonly NewInvoice[]): Promise<InvoiceRow[]> {
  const column = <Value extends string | number | null>(value: (draft: NewInvoice) => Value) => drafts.map(value);
  const lines = drafts.flatMap(({ totals: prices }, i) =>
    prices.lines.map((line, number) => ({ ...line, place: i + 1, number: number + 1 })),
  );
  const placed = await transaction.run(insertInvoicesWithLines, [
    plainArray(column(({ tenantId }) => tenantId)),
    plainArray(column(({ customerId }) => customerId)),
    plainArray(column(({ userId }) => userId)),
    textArray(column(({ currency }) => currency)),
    textArray(column(({ status }) => status)),
    plainArray(column(({ number }) => number)),
    plainArray(column(({ totals: prices }) => prices.subtotal)),
    plainArray(column(({ totals: prices }) => prices.tax)),
    plainArray(column(({ totals: prices }) => prices.total)),
    plainArray(column(({ channelId }) => channelId)),
    textArray(column(({ description }) => description)),
    textArray(column(({ metadata }) => (metadata === null ? null : JSON.stringify(metadata)))),
    plainArray(column(({ dueMs }) => (dueMs === null ? null : utcDay(dueMs)))),
    plainArray(column(({ subscriptionId }) => subscriptionId)),
    plainArray(column(({ periodStartMs }) => periodStartMs)),
    plainArray(column(({ periodEndMs }) => periodEndMs)),
    plainArray(column(({ createdMs }) => createdMs)),
    plainArray(lines.map(({ place }) => place)),
    plainArray(lines.map(({ number }) => number)),
    textArray(lines.map(({ description }) => description)),
    plainArray(lines.map(({ quantity }) => quantity)),
    plainArray(lines.map(({ unitAmount }) => unitAmount)),
    plainArray(lines.map(({ amount }) => amount)),
    plainArray(lines.map(({ taxRate }) => taxRate)),
    plainArray(lines.map(({ taxAmount }) => taxAmount)),
  ]);
  return drafts.map((draft, i) => rowOf(draft, (placed[i] as { id: number }).id));
}

/** What stands now, without reading it again. */
function rowOf(draft: NewInvoice, id: number): InvoiceRow {
  const created = new Date(draft.createdMs).toISOString();
  const { totals: prices, status } = draft;
  return {
    tenant_id: draft.tenantId,
    id,
    number: draft.number,
    customer_id: draft.customerId,
    status,
    currency: draft.currency,
    subtotal: prices.subtotal,
    tax: prices.tax,
    total: prices.total,
    amount_paid: 0,
    amount_held: 0,
    payments: 0,
    channel_id: draft.channelId,
    description: draft.description,
    metadata: draft.metadata,
    due_date: draft.dueMs === null ? null : utcDay(draft.dueMs),
    subscription_id: draft.subscriptionId,
    period_start: timeOf(draft.periodStartMs),
    period_end: timeOf(draft.periodEndMs),
    user_id: draft.userId,
    version: 1,
    created_at: created,
    finalized_at: status === 'DRAFT' ? null : created,
    paid_at: status === 'PAID' ? created : null,
    closed_at: null,
    updated_at: created,
  };
}

const timeOf = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString());
