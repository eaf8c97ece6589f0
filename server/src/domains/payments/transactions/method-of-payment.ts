import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { PaymentsApp } from '../app.ts';
import { authorizationRefusal } from '../channels/capture.ts';
import type { ChannelRow } from '../channels/statements.ts';
import { readMethod } from '../methods/read.ts';
import type { MethodRow } from '../methods/record.ts';
import { isUsable, unusable } from '../methods/rules.ts';
import { findCustomer, requireMethodsOf } from '../methods/setup.ts';
import type { PaymentInput } from './record.ts';
import type { CreateInput } from './schema.ts';

type App = Pick<PaymentsApp, 'database' | 'methodCustomers' | 'providers'>;

/** Whether a request names a payment method, or anything that belongs to keeping one. */
export function asksForMethod({
  methodId,
  initiator,
  saveMethod,
  isDefault,
  consent,
  agreement,
}: CreateInput): boolean {
  return [methodId, initiator, saveMethod, isDefault, consent, agreement].some((field) => field !== undefined);
}

/**
 * The payment with the method that it charges, or with how it keeps one; or why it cannot be created, which a repeat of
 * an earlier request does not see.
 */
export async function withMethod(
  input: CreateInput,
  channel: ChannelRow,
  principal: Principal,
  app: App,
): Promise<PaymentInput | Refusal> {
  requireTogether(input);
  const { methodId, saveMethod, consent, agreement, isDefault, ...payment } = input;
  if (methodId !== undefined) return withCharged(payment, methodId, channel, principal, app);
  if (saveMethod !== true) return payment;
  const customer = await findCustomer(input.customerId as number, principal, app);
  if (customer.livemode !== channel.livemode) throw notFound('customer', customer.id, 'customerId');
  await requireMethodsOf(channel, app);
  const save = { agreement: agreement ?? 'SUBSCRIPTION', isDefault: isDefault ?? null, consent: consent ?? null };
  return { ...payment, save };
}

async function withCharged(
  payment: PaymentInput,
  methodId: string,
  channel: ChannelRow,
  principal: Principal,
  { database }: App,
): Promise<PaymentInput | Refusal> {
  const row = await readMethod(database, methodId, principal, 'methodId');
  const isOther = payment.customerId != null && payment.customerId !== row.customer_id;
  // A method of another customer, tenant or mode is as unknown as one that does not exist.
  if (isOther || row.tenant_id !== principal.tenantId || row.livemode !== channel.livemode) {
    throw notFound('payment method', methodId, 'methodId');
  }
  const unable = payment.captureMethod === 'MANUAL' ? authorizationRefusal(channel, { type: row.type }) : undefined;
  const refusal = refusalOf(row, channel.id) ?? unable;
  if (refusal !== undefined) return refusal;
  return { ...payment, methodId: row.id, customerId: row.customer_id };
}

/** Why a method cannot be charged through a channel. */
export function refusalOf(row: MethodRow, channelId: number): Refusal | undefined {
  if (row.channel_id !== channelId) {
    return new Refusal('method_of_other_channel', rule('methods_channel', { channelId: row.channel_id }), {
      field: 'channelId',
    });
  }
  return isUsable(row) ? undefined : unusable(row, 'methodId');
}

function requireTogether(input: CreateInput): void {
  const { methodId, paymentMethod, saveMethod = false, initiator, customerId } = input;
  if (methodId !== undefined && paymentMethod !== undefined) {
    throw invalid('methodId', rule('not_together', { other: 'paymentMethod' }));
  }
  if (methodId !== undefined && saveMethod) {
    throw invalid('saveMethod', rule('method_kept_already'));
  }
  if (initiator === 'MERCHANT' && methodId === undefined) {
    throw invalid('initiator', rule('merchant_needs_method'));
  }
  if (saveMethod && customerId === undefined) throw invalid('customerId', rule('saving_needs_customer'));
  if (saveMethod) return;
  for (const field of ['isDefault', 'consent', 'agreement'] as const) {
    if (input[field] !== undefined) throw invalid(field, rule('only_together', { other: 'saveMethod' }));
  }
}
