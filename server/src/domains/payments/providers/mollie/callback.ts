import { hash } from 'node:crypto';
import { Refusal } from '../../../../core/errors.ts';
import type { Callback, CallbackNews, Notice } from '../provider.ts';
import { jsonObject } from './client.ts';
import { isMollieId, keyIn } from './outcomes.ts';
import { isCallbackToken, isMollieSignature } from './signatures.ts';

/**
 * Both kinds of callback that Mollie has, told apart by the signature header. A notice never carries an outcome: what has
 * become of the payment and of its refunds is asked of Mollie, so that an old message can do no harm.
 *
 * A notice about a payment (`tr_…`) may be of the payment or of one of its refunds: whoever gets it looks up every open
 * operation of that payment.
 */
export function readMollieCallback(callback: Callback, webhookSecret: string | null): CallbackNews {
  if (webhookSecret === null || webhookSecret === '') {
    throw invalidCallback('This channel has no webhookSecret, so that no callback of Mollie can be told from another.');
  }
  const signature = callback.headers['x-mollie-signature'];
  return signature === undefined
    ? readUnsigned(callback, webhookSecret)
    : readSigned(callback.body, [signature].flat().join(','), webhookSecret);
}

/**
 * `webhookUrl` of a payment: a form with nothing but `id=tr_…`, unsigned; the token in the address stands for a signature.
 * Two changes of one payment send the same bytes, so that content cannot tell a repeat: every receipt counts as a message
 * of its own, and a repeat costs one more look-up. Two in the same millisecond are one: they are looked up after both.
 */
function readUnsigned({ query, body, receivedMs }: Callback, webhookSecret: string): CallbackNews {
  const { key = '', token = '' } = query;
  if (!isCallbackToken(token, webhookSecret, key)) {
    throw invalidCallback('The token of this callback address is not one of this channel.');
  }
  const id = new URLSearchParams(body.toString('utf8')).get('id');
  if (!isMollieId(id, 'tr_')) throw invalidCallback('The body of a callback of Mollie is a form with `id=tr_…`.');
  return { eventId: `${id}@${receivedMs}`, notice: { key, reference: id } };
}

/**
 * Next-gen webhooks, set up in Mollie's dashboard: JSON, signed. Either an event around an `entityId`, with or without the
 * entity, or the payment or refund as it then was.
 */
function readSigned(body: Buffer, signature: string, webhookSecret: string): CallbackNews {
  if (!isMollieSignature(signature, webhookSecret, body)) {
    throw invalidCallback('X-Mollie-Signature does not match the body and the webhookSecret of this channel.');
  }
  const message = jsonObject(body.toString('utf8'));
  if (message === undefined) throw invalidCallback('The body of a signed callback of Mollie is a JSON object.');
  const { id, entityId } = message;
  if (typeof id === 'string' && /^event_\w{1,100}$/.test(id))
    return callbackOf(id, updateOf(entityId, entityIn(message)));
  // Without an id of its own, the content is the id: a repeat has the same bytes, another state has others.
  return callbackOf(hash('sha256', body), updateOf(id, message));
}

function entityIn({ _embedded: embedded }: Record<string, unknown>): Record<string, unknown> {
  const { entity } = (embedded ?? {}) as { entity?: unknown };
  return (entity ?? {}) as Record<string, unknown>;
}

function updateOf(id: unknown, { metadata }: Record<string, unknown>): Notice | undefined {
  if (!isMollieId(id, 'tr_') && !isMollieId(id, 're_')) return undefined;
  const key = keyIn(metadata);
  return key === undefined ? { reference: id } : { key, reference: id };
}

function callbackOf(eventId: string, notice: Notice | undefined): CallbackNews {
  return notice === undefined ? { eventId } : { eventId, notice };
}

function invalidCallback(message: string): Refusal {
  return new Refusal('callback_invalid', message);
}
