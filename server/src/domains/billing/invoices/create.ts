import type { Static } from 'typebox';
import { requireInUse } from '../../../core/currency.ts';
import { invalid } from '../../../core/errors.ts';
import { requireSameMode } from '../../../core/livemode.ts';
import { metadataJson } from '../../../core/metadata.ts';
import { priceLines } from '../../../core/price-lines.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import { requireAccepting } from '../../payments/channels/rules.ts';
import type { BillingApp } from '../app.ts';
import { customerNowMs, readCustomer } from '../customers/read.ts';
import { appendInvoiceEvents } from './events.ts';
import { insertInvoices } from './issue/insert.ts';
import { detailOf, type InvoiceRecord, recordOf } from './record.ts';
import type { invoiceInput } from './schema.ts';
import type { InvoiceRow } from './statements.ts';

type InvoiceInput = Static<typeof invoiceInput>;

const path = '/api/invoice/create';

/**
 * Creates a DRAFT with its lines and totals. It has no number and cannot be paid until it is finalized. With an
 * idempotency key, a repeated request gets the first answer.
 */
export async function createInvoice(
  { body: input, principal, idempotencyKey }: Call<InvoiceInput>,
  app: BillingApp,
): Promise<IdempotentAnswer<InvoiceRecord>> {
  const { database, clock } = app;
  requireOneTax(input.lines);
  metadataJson(input.metadata);
  const totals = priceLines(input.lines);
  const actor = await actFor(principal, input.tenantId, database);
  const customer = await readCustomer(database, input.customerId, actor, 'customerId');
  const tenantId = customer.tenant_id;
  const { channelId, currency } = input;
  if (channelId !== undefined) await requireChannel(channelId, { ...customer, currency }, app);
  const realMs = clock();
  const run = async (transaction: Queryable): Promise<InvoiceRecord> => {
    requireInUse(currency);
    const [row] = await insertInvoices(transaction, [
      {
        tenantId,
        livemode: customer.livemode,
        customerId: customer.id,
        userId: principal.userId,
        currency: input.currency,
        channelId: input.channelId ?? null,
        subscriptionId: null,
        periodStartMs: null,
        periodEndMs: null,
        dueMs: input.dueDate === undefined ? null : Date.parse(input.dueDate),
        description: input.description ?? null,
        clockId: customer.clock_id ?? 0,
        metadata: (input.metadata as Record<string, unknown> | undefined) ?? null,
        totals,
        status: 'DRAFT',
        number: null,
        seller: null,
        createdMs: customerNowMs(customer, realMs),
      },
    ]);
    const after = recordOf(row as InvoiceRow);
    await appendAudit(transaction, principal, { action: 'invoice.create', tenantId, recordId: after.id, after });
    await appendInvoiceEvents(transaction, [{ type: 'invoice.created', invoice: row as InvoiceRow }], app.generateUuid);
    return detailOf(transaction, row as InvoiceRow);
  };
  const request = { tenantId, path, key: idempotencyKey, input, nowMs: realMs };
  return answerOnce(database, request, run);
}

/** Refuses a channel on which an invoice cannot be paid. */
export async function requireChannel(
  channelId: number,
  invoice: { tenant_id: number; livemode: boolean; currency: string },
  { channels }: Pick<BillingApp, 'channels'>,
): Promise<void> {
  const channel = await channels.findUsable(channelId, invoice.tenant_id);
  requireSameMode(invoice.livemode, channel.livemode, 'channelId', { noun: 'channel', id: channelId });
  requireAccepting(channel, invoice.currency);
}

export function requireOneTax(lines: InvoiceInput['lines']): void {
  const both = lines.findIndex(({ taxRate, taxAmount }) => taxRate !== undefined && taxAmount !== undefined);
  if (both >= 0) throw invalid(`lines.${both}.taxAmount`, rule('one_tax'));
}
