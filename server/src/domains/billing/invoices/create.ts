import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, requestHash } from '../../../platform/postgres/idempotency-records.ts';
import { mayUse, requireAccepting } from '../../payments/channels/rules.ts';
import { customerNowMs, readCustomer } from '../customers/read.ts';
import type { InvoiceDeps } from './deps.ts';
import { insertInvoices } from './issue.ts';
import { detailOf, type InvoiceRecord } from './record.ts';
import { priceLines, requireCurrency } from './rules.ts';
import type { invoiceInput } from './schema.ts';
import type { InvoiceRow } from './statements.ts';

type InvoiceInput = Static<typeof invoiceInput>;

const path = '/api/invoice/create';

/** Writes a DRAFT with its totals: without a number, and not to be paid yet. */
export async function createInvoice(
  input: InvoiceInput,
  principal: Principal,
  deps: InvoiceDeps,
  idempotencyKey?: string,
): Promise<{ record: InvoiceRecord; replayed: boolean }> {
  const { database, channels, clock } = deps;
  requireCurrency(input.currency);
  demandOneTax(input);
  metadataJson(input.metadata);
  const prices = priceLines(input.lines);
  const customer = await readCustomer(database, input.customerId, principal, 'customerId');
  const channel = input.channelId === undefined ? null : await channels.find(input.channelId);
  if (channel !== null && (channel === undefined || !mayUse(channel, customer.tenant_id))) {
    throw notFound('channel', input.channelId as number, 'channelId');
  }
  if (channel !== null) requireAccepting(channel, input.currency);
  const realMs = clock();
  const work = async (transaction: Queryable): Promise<InvoiceRecord> => {
    const [row] = await insertInvoices(transaction, [
      {
        tenantId: customer.tenant_id,
        customerId: customer.id,
        userId: principal.userId,
        currency: input.currency,
        channelId: channel === null ? null : channel.id,
        subscriptionId: null,
        periodStartMs: null,
        periodEndMs: null,
        dueMs: input.dueDate === undefined ? null : Date.parse(input.dueDate),
        description: input.description ?? null,
        metadata: (input.metadata as Record<string, unknown> | undefined) ?? null,
        totals: prices,
        status: 'DRAFT',
        number: null,
        createdMs: customerNowMs(customer, realMs),
      },
    ]);
    return detailOf(transaction, row as InvoiceRow);
  };
  if (idempotencyKey === undefined) return { record: await database.transaction(work), replayed: false };
  const keyed = { tenantId: customer.tenant_id, path, key: idempotencyKey, hash: requestHash(input), nowMs: realMs };
  const { answer, replayed } = await answerOnce(database, keyed, work);
  return { record: answer, replayed };
}

function demandOneTax({ lines }: InvoiceInput): void {
  const both = lines.findIndex(({ taxRate, taxAmount }) => taxRate !== undefined && taxAmount !== undefined);
  if (both >= 0) throw invalid(`lines.${both}.taxAmount`, 'A line has a taxRate or a taxAmount, not both.');
}
