import { isWithdrawn, withdrawnRefusal } from '../../../core/currency.ts';
import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Call } from '../../../platform/http/route.ts';
import { type IdempotentAnswer, requestHash } from '../../../platform/postgres/idempotency-records.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import type { PaymentsApp } from '../app.ts';
import { authorizationRefusal } from '../channels/capture.ts';
import { actOn } from '../channels/rules.ts';
import { asksForMethod, withMethod } from './method-of-payment.ts';
import type { OnceKey } from './payments.ts';
import { purchaseIn } from './purchase.ts';
import { newPayment, type PaymentRecord } from './record.ts';
import { usableChannel } from './rules.ts';
import type { CreateInput } from './schema.ts';

type CreateApp = Pick<
  PaymentsApp,
  | 'database'
  | 'channels'
  | 'providers'
  | 'invoicePayments'
  | 'methodCustomers'
  | 'payments'
  | 'clock'
  | 'generateUuid'
  | 'seal'
>;

/**
 * Creates a payment. When it resolves, the payment is on disk with its event and its deliveries. A repeat with the same
 * idempotency key and body gets the first answer, even if the channel would refuse the payment now; the same key with
 * another body is refused (`idempotency_mismatch`).
 */
export async function createPayment(
  { body: input, principal: caller, idempotencyKey }: Pick<Call<CreateInput>, 'body' | 'principal' | 'idempotencyKey'>,
  app: CreateApp,
): Promise<IdempotentAnswer<PaymentRecord>> {
  const { channels, payments, database } = app;
  // 1. Through which channel, and for whom? A platform administrator acts for the tenant that the request names, or
  // whose channel it names. Awaited only when necessary, because each promise adds garbage to the create path.
  const channel = channels.cached(input.channelId) ?? (await channels.find(input.channelId));
  const actor = input.tenantId === undefined ? caller : await actFor(caller, input.tenantId, database);
  const principal = actOn(channel, actor);
  const hash = idempotencyKey === undefined ? null : requestHash(input);
  const once = { idempotencyKey: idempotencyKey ?? null, requestHash: hash };

  // 2. Does the channel take it? If not, a repeat still gets its first answer.
  const isRefused = isWithdrawn(input.currency) && !(await paysInvoice(input, principal, app));
  const usable = isRefused ? withdrawnRefusal(input.currency) : usableChannel(channel, input, principal);
  if (usable instanceof Refusal) return firstAnswer(usable, principal, once, app);

  const unable = input.captureMethod === 'MANUAL' ? authorizationRefusal(usable, input) : undefined;
  if (unable !== undefined) return firstAnswer(unable, principal, once, app);

  // 3. Does it charge a payment method, or keep one?
  const asked = asksForMethod(input) ? await withMethod(input, usable, principal, app) : input;
  if (asked instanceof Refusal) return firstAnswer(asked, principal, once, app);

  // 4. The payment, with everything that follows from it.
  const row = newPayment({ ...asked, purchase: purchaseIn(input) }, usable, principal, app.generateUuid(), app.seal);
  return payments.write(row, once);
}

/** The first answer, for a repeat; otherwise throws the refusal. */
async function firstAnswer(
  refusal: Refusal,
  { tenantId }: Principal,
  once: OnceKey,
  { payments }: Pick<PaymentsApp, 'payments'>,
): Promise<IdempotentAnswer<PaymentRecord>> {
  const first = await payments.firstAnswer(tenantId, once);
  if (first === undefined) throw refusal;
  return first;
}

/** Invoices in a currency that was withdrawn since can still be paid. */
async function paysInvoice(
  { invoiceId }: CreateInput,
  { tenantId }: Principal,
  { invoicePayments, database }: Pick<PaymentsApp, 'invoicePayments' | 'database'>,
): Promise<boolean> {
  return invoiceId != null && (await invoicePayments.hasInvoice(database, { tenantId, invoiceId }));
}
