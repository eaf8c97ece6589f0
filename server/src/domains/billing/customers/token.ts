import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Actor } from '../../identity/audit/append.ts';
import type { ChannelRow } from '../../payments/channels/statements.ts';
import { detachLocked } from '../../payments/methods/detach.ts';
import { beginSetup, requireSetupAt } from '../../payments/methods/setup.ts';
import { lockDefault } from '../../payments/methods/statements.ts';
import type { Consent } from '../../payments/providers/kept-method.ts';
import type { BillingApp } from '../app.ts';
import type { CustomerRow } from './statements.ts';

/** What a request says of the payment method of a customer. */
interface TokenInput {
  /** A token of the provider's own form; null: the default is detached. */
  paymentMethod?: string | null;
  consent?: Consent;
}

/** A token that becomes a payment method, on the default channel of its customer. */
export interface CustomerToken {
  token: string;
  channel: ChannelRow;
  consent: Consent | undefined;
}

/**
 * The token in a request; undefined: none. Refuses one without a default channel, and a channel that does not accept
 * payments or whose provider keeps no payment methods (`channel_cannot`).
 */
export async function tokenIn(
  { paymentMethod, consent }: TokenInput,
  channel: ChannelRow | undefined,
  app: BillingApp,
): Promise<CustomerToken | undefined> {
  if (paymentMethod == null) {
    if (consent !== undefined) throw invalid('consent', rule('only_together', { other: 'paymentMethod' }));
    return undefined;
  }
  if (channel === undefined) {
    throw invalid('defaultChannelId', rule('token_needs_channel'));
  }
  const source = { token: paymentMethod, bankAccount: null, type: null };
  await requireSetupAt(channel, source, app, 'defaultChannelId');
  return { token: paymentMethod, channel, consent };
}

/** Sets the token up as a payment method, which becomes the default of the customer once it is ACTIVE. */
export async function setUpToken(
  transaction: Queryable,
  { tenant_id: tenantId, id }: CustomerRow,
  { token, channel, consent }: CustomerToken,
  actor: Actor,
  app: BillingApp,
): Promise<void> {
  await beginSetup(transaction, { customer: { tenantId, id }, channel, token, consent, isDefault: true }, actor, app);
}

/**
 * Detaches the default payment method of a locked customer, with the event of the customer. Returns whether there was
 * one. Refused while a living subscription names it (`payment_method_in_use`).
 */
export async function detachDefault(
  transaction: Queryable,
  { tenant_id, id }: CustomerRow,
  actor: Actor,
  app: BillingApp,
): Promise<boolean> {
  const [method] = await transaction.run(lockDefault, [tenant_id, id]);
  if (method === undefined) return false;
  await detachLocked(transaction, method, undefined, actor, app);
  return true;
}
