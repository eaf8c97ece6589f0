import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { Call, Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { PaymentsApp } from '../app.ts';
import { callbackParams, callbackReceived, tokenCallbackParams } from './schema.ts';

/** Known providers send a few KiB. */
const maximumBytes = 256 * 1024;

const { post } = routesFor<PaymentsApp>();

async function receiveCallback({ params, query, headers, rawBody, address }: Call, { intake }: PaymentsApp) {
  const { channel = '', token } = params;
  const request = { headers, query: lastValues(query), body: rawBody };
  await intake.receive({ channel, token, network: networkOf(address) }, request);
  return { message: 'Callback received', data: { received: true } };
}

export const callbackRoutes: readonly Route<PaymentsApp>[] = [
  post('/api/callback/{channel}/{token}', 'nothing', 'Callbacks', {
    operationId: 'receiveCallback',
    summary: 'Receive a callback from a provider',
    description:
      'Called by a provider to report the outcome of a payment or refund. ' +
      "The body is of any type, up to 256 KiB, in the provider's own format. No Authorization header: " +
      "the signature is verified with the channel's `webhookSecret`. " +
      'The callback is stored before it is answered and settled afterwards; a repeated callback gets the same ' +
      'answer. Whatever is wrong, the refusal is the same (401), and failures from one address are limited (429, ' +
      '`app.rate-limit.failures-per-address`).',
    params: tokenCallbackParams,
    rawBody: { maximumBytes },
    takesAnyQuery: true, // Mollie and others append their own.
    refuses: ['callback_invalid', 'too_many_attempts'],
    data: callbackReceived,
    handle: receiveCallback,
  }),

  post('/api/callback/{channel}', 'nothing', 'Callbacks', {
    operationId: 'receiveCallbackWithoutToken',
    summary: 'Receive a callback at the address without a token',
    description: 'The same, for addresses that were given to providers before channels had a `callbackUrl`.',
    params: callbackParams,
    rawBody: { maximumBytes },
    takesAnyQuery: true, // Mollie and others append their own.
    refuses: ['callback_invalid', 'too_many_attempts'],
    data: callbackReceived,
    handle: receiveCallback,
  }),
];

/** The names are the provider's; if a parameter is repeated, the last value counts. */
function lastValues(query: unknown): Record<string, string> {
  const params = Object.entries(query as Record<string, string | string[]>);
  return Object.fromEntries(params.map(([name, value]) => [name, [value].flat().at(-1) ?? '']));
}
