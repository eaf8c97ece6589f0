import { hash } from 'node:crypto';
import { Refusal } from '../../../../core/errors.ts';
import type { Callback, OperationUpdate, ProviderCallback } from '../provider.ts';
import { jsonObject } from './client.ts';
import { isMollieId, keyIn, livemodeIn } from './outcomes.ts';
import { isCallbackToken, isMollieSignature } from './signatures.ts';

/**
 * Reads both kinds of Mollie's callbacks; only one of them has a signature header. The result never carries an outcome:
 * Florin looks the operation up instead, so an old message can do no harm.
 *
 * A message about a payment (`tr_…`) may concern the payment, one of its refunds or a chargeback: Florin looks up every
 * open operation of that payment, and what else concerns its money.
 */
export function readMollieCallback(callback: Callback, webhookSecret: string | null): ProviderCallback {
  if (webhookSecret === null || webhookSecret === '') {
    throw invalidCallback('This channel has no webhookSecret, so callbacks of Mollie cannot be verified.');
  }
  const signature = callback.headers['x-mollie-signature'];
  return signature === undefined
    ? readUnsigned(callback, webhookSecret)
    : readSigned(callback.body, [signature].flat().join(','), webhookSecret);
}

/**
 * Posted to the `webhookUrl` of a payment: a form that contains only `id=tr_…`. It is unsigned; the token in the
 * address replaces a signature. Every change of a payment sends the same bytes, so that repeats cannot be recognised:
 * each request counts as a new message, and a repeat costs one more look-up. Two requests in the same millisecond count
 * as one, because the look-up comes after both.
 */
function readUnsigned({ query, body, receivedMs }: Callback, webhookSecret: string): ProviderCallback {
  const { key = '', token = '' } = query;
  if (!isCallbackToken(token, webhookSecret, key)) {
    throw invalidCallback('The token of this callback address is not one of this channel.');
  }
  const id = new URLSearchParams(body.toString('utf8')).get('id');
  if (!isMollieId(id, 'tr_')) throw invalidCallback('The body of a callback of Mollie is a form with `id=tr_…`.');
  const read = callbackOf(`${id}@${receivedMs}`, { key, reference: id });
  // It may as well be about a chargeback, its reversal, or a refund made elsewhere, which it does not name.
  return read.notice === undefined ? read : { ...read, chargeNotice: { reference: id } };
}

/**
 * Next-gen webhooks, configured in Mollie's dashboard: signed JSON. The body is either an event with an `entityId`,
 * with or without the entity, or a payment or refund as it was at that time.
 */
function readSigned(body: Buffer, signature: string, webhookSecret: string): ProviderCallback {
  if (!isMollieSignature(signature, webhookSecret, body)) {
    throw invalidCallback('X-Mollie-Signature does not match the body and the webhookSecret of this channel.');
  }
  const message = jsonObject(body.toString('utf8'));
  if (message === undefined) throw invalidCallback('The body of a signed callback of Mollie is a JSON object.');
  const { id, entityId } = message;
  const isEvent = typeof id === 'string' && /^event_\w{1,100}$/.test(id);
  const [of, entity] = isEvent ? [entityId, entityIn(message)] : [id, message];
  // An entity has no message id. The hash of the body identifies repeats: another state of the entity has other bytes.
  const eventId = isEvent ? id : hash('sha256', body);
  return moneyCallbackOf(eventId, of, entity, message) ?? callbackOf(eventId, updateOf(of, entity));
}

/**
 * A message about money that Florin did not move: a chargeback, or a refund without our key. The payment of either is
 * in the entity, or in the address of an entity that the message does not have; then whose refund it is is not known.
 */
function moneyCallbackOf(
  eventId: string,
  id: unknown,
  entity: Record<string, unknown>,
  message: Record<string, unknown>,
): ProviderCallback | undefined {
  const charge = paymentOf(entity, message);
  const livemode = livemodeIn(entity);
  const named = livemode === undefined ? {} : { livemode };
  if (isMollieId(id, 'chb_')) {
    const disputeNotice = { reference: id, ...(charge !== undefined && { chargeReference: charge }), ...named };
    return { eventId, disputeNotice };
  }
  if (!isMollieId(id, 're_') || charge === undefined || keyIn(entity.metadata) !== undefined) return undefined;
  return entity.id === undefined
    ? { ...callbackOf(eventId, { reference: id }), chargeNotice: { reference: charge } }
    : { eventId, refundNotice: { reference: id, chargeReference: charge, ...named } };
}

function paymentOf({ paymentId }: Record<string, unknown>, message: Record<string, unknown>): string | undefined {
  if (isMollieId(paymentId, 'tr_')) return paymentId;
  const { entity } = (message._links ?? {}) as { entity?: { href?: unknown } };
  const [, found] = /\/payments\/(tr_[A-Za-z0-9]+)\//.exec(String(entity?.href ?? '')) ?? [];
  return isMollieId(found, 'tr_') ? found : undefined;
}

function entityIn({ _embedded: embedded }: Record<string, unknown>): Record<string, unknown> {
  const { entity } = (embedded ?? {}) as { entity?: unknown };
  return (entity ?? {}) as Record<string, unknown>;
}

function updateOf(id: unknown, entity: Record<string, unknown>): Update | undefined {
  if (!isMollieId(id, 'tr_') && !isMollieId(id, 're_')) return undefined;
  const key = keyIn(entity.metadata);
  const livemode = livemodeIn(entity);
  return { ...(key !== undefined && { key }), reference: id, ...(livemode !== undefined && { livemode }) };
}

type Update = OperationUpdate & { reference: string };

/** The first payment of a setup is one of 0.00, and has the key of the setup. Mollie sends no events about mandates. */
function callbackOf(eventId: string, update: Update | undefined): ProviderCallback {
  if (update === undefined) return { eventId };
  return update.key?.startsWith('mtd_')
    ? { eventId, methodNotice: { ...update, of: 'SETUP' } }
    : { eventId, notice: update };
}

function invalidCallback(message: string): Refusal {
  return new Refusal('callback_invalid', message);
}
