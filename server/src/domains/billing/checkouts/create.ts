import type { Static } from 'typebox';
import { secondMs } from '../../../core/clock.ts';
import { requireInUse } from '../../../core/currency.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import { livemodeOfNew, requireSameMode } from '../../../core/livemode.ts';
import { metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { requirePermission } from '../../../platform/http/permission.ts';
import type { Call } from '../../../platform/http/route.ts';
import { type IdempotentAnswer, onceFor } from '../../../platform/postgres/idempotency-records.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import { chargeRefusal } from '../../payments/channels/amounts.ts';
import { authorizationRefusal } from '../../payments/channels/capture.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import { acceptanceRefusal } from '../../payments/channels/rules.ts';
import type { ChannelRow } from '../../payments/channels/statements.ts';
import type { BillingApp } from '../app.ts';
import { readCustomer } from '../customers/read.ts';
import { readInvoice } from '../invoices/read.ts';
import { requirePayableAmount, unpaidAmountOf } from '../invoices/rules.ts';
import { isPayable } from '../invoices/states.ts';
import { type CheckoutDraft, insertNewCheckout } from './insert.ts';
import { type CheckoutRecord, recordOf } from './record.ts';
import { lifetimeMs, longestLifetimeMs, shortestLifetimeMs } from './rules.ts';
import type { checkoutInput } from './schema.ts';
import { type CheckoutRow, findCheckout } from './statements.ts';

type CheckoutInput = Static<typeof checkoutInput>;

/**
 * Creates a checkout: a page on which a payer pays an amount, or the remaining amount of an invoice. With an
 * idempotency key, a repeated request gets the same checkout.
 */
export async function createCheckout(
  { body: input, principal: caller, idempotencyKey }: Call<CheckoutInput>,
  app: BillingApp,
): Promise<IdempotentAnswer<CheckoutRecord>> {
  const { database, clock } = app;
  const nowMs = clock();
  metadataJson(input.metadata);
  const draft =
    input.invoiceId === undefined
      ? await draftOfAmount(input, caller, nowMs, app)
      : await draftOfInvoice(input, input.invoiceId, caller, nowMs, app);
  const { tenantId } = draft;
  const once = onceFor(database, {
    tenantId,
    path: '/api/checkout/create',
    key: idempotencyKey,
    input: { ...input, mode: caller.livemode ?? null },
    nowMs,
  });
  // The idempotency record stores only the id, because the URL is a secret.
  const { answer, replayed } = await once(async (transaction) => {
    const { id } = await insertNewCheckout(transaction, draft, caller, nowMs, app);
    return { id };
  });
  const [row] = (await database.run(findCheckout, [[tenantId], answer.id])) as [CheckoutRow];
  return { answer: recordOf(row, nowMs, app), replayed };
}

async function draftOfAmount(
  input: CheckoutInput,
  caller: Principal,
  nowMs: number,
  { database, channels }: BillingApp,
): Promise<CheckoutDraft> {
  const { amount, currency, channelIds } = input;
  if (amount === undefined) throw invalid('amount', rule('required_unless', { other: 'invoiceId' }));
  if (currency === undefined) throw invalid('currency', rule('required_with', { other: 'amount' }));
  requireInUse(currency);
  if (channelIds === undefined) throw invalid('channelIds', rule('required_with', { other: 'amount' }));
  const named = await actFor(caller, input.tenantId, database);
  const principal = await channels.actOn(channelIds[0], named);
  const { tenantId, userId } = principal;
  const found = await usableChannels(channelIds, tenantId, { ...input, amount, currency }, channels);
  const livemode = livemodeOfNew(principal, undefined, found[0], 'channelIds');
  requireChannelMode(found, livemode);
  return {
    tenantId,
    livemode,
    invoiceId: null,
    amount,
    currency,
    channelIds,
    captureMethod: input.captureMethod,
    customerId: input.customerId ?? null,
    description: input.description ?? null,
    metadata: input.metadata ?? null,
    returnUrl: input.returnUrl ?? null,
    userId,
    expiresMs: expiryOf(input, nowMs, lifetimeMs.amount),
  };
}

async function draftOfInvoice(
  input: CheckoutInput,
  invoiceId: number,
  caller: Principal,
  nowMs: number,
  { database, channels }: BillingApp,
): Promise<CheckoutDraft> {
  for (const field of ['amount', 'currency', 'customerId', 'description'] as const) {
    if (input[field] !== undefined) throw invalid(field, rule('of_the_invoice'));
  }
  requirePermission('invoice_write', caller);
  const principal = await actFor(caller, input.tenantId, database);
  const invoice = await readInvoice(database, invoiceId, principal, 'invoiceId');
  const { tenant_id: tenantId, livemode, currency } = invoice;
  if (!isPayable(invoice.status)) requirePayableAmount(invoice, 0, undefined, 'invoiceId');
  const customer = await readCustomer(database, invoice.customer_id, principal);
  const defaultChannelId = invoice.channel_id ?? customer.default_channel_id;
  const channelIds = input.channelIds ?? (defaultChannelId === null ? [] : [defaultChannelId]);
  if (channelIds.length === 0) {
    throw invalid('channelIds', rule('channel_needed_of_invoice'));
  }
  const wanted = { ...input, amount: unpaidAmountOf(invoice), currency };
  requireChannelMode(await usableChannels(channelIds, tenantId, wanted, channels), livemode);
  return {
    tenantId,
    livemode,
    invoiceId,
    amount: null,
    currency,
    channelIds,
    captureMethod: input.captureMethod,
    customerId: invoice.customer_id,
    description: invoice.description,
    metadata: input.metadata ?? null,
    returnUrl: input.returnUrl ?? null,
    userId: principal.userId,
    expiresMs: expiryOf(input, nowMs, lifetimeMs.invoice),
  };
}

/** Reads the channels. Refuses one that the tenant cannot use, or that refuses the currency or the captures. */
async function usableChannels(
  ids: readonly number[],
  tenantId: number,
  { amount, currency, captureMethod }: Pick<CheckoutInput, 'captureMethod'> & { amount: number; currency: string },
  channels: ChannelDirectory,
): Promise<ChannelRow[]> {
  const found: ChannelRow[] = [];
  for (const id of ids) {
    const channel = await channels.findUsable(id, tenantId, 'channelIds');
    const unable = captureMethod === 'MANUAL' ? authorizationRefusal(channel) : undefined;
    const refusal =
      acceptanceRefusal(channel, currency) ?? chargeRefusal(channel.provider, { amount, currency }) ?? unable;
    if (refusal !== undefined) throw namingChannel(refusal, id);
    found.push(channel);
  }
  return found;
}

/** The refusal of one of several channels. */
function namingChannel({ type, message, field, details }: Refusal, id: number): Refusal {
  return new Refusal(type, `Channel ${id}: ${message}`, {
    field: field === 'channelId' ? 'channelIds' : (field as string),
    details: { ...details, channelId: id },
  });
}

function requireChannelMode(channels: readonly ChannelRow[], livemode: boolean): void {
  for (const channel of channels) {
    requireSameMode(livemode, channel.livemode, 'channelIds', { noun: 'channel', id: channel.id });
  }
}

function expiryOf({ expiresTime, expiresIn }: CheckoutInput, nowMs: number, defaultLifetimeMs: number): number {
  if (expiresIn !== undefined) {
    if (expiresTime !== undefined) throw invalid('expiresIn', rule('not_together', { other: 'expiresTime' }));
    return nowMs + expiresIn * secondMs;
  }
  if (expiresTime === undefined) return nowMs + defaultLifetimeMs;
  const atMs = Date.parse(expiresTime);
  if (!(atMs >= nowMs + shortestLifetimeMs && atMs <= nowMs + longestLifetimeMs)) {
    throw invalid('expiresTime', rule('minute_to_year'));
  }
  return atMs;
}
