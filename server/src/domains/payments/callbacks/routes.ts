import { post, type Route } from '../../../platform/http/route.ts';
import type { CallbackIntake } from './receive.ts';
import { callbackParams, callbackReceived } from './schema.ts';

/** Known providers send a few KiB. */
const maximumBytes = 256 * 1024;

export function callbackRoutes({ intake }: { intake: CallbackIntake }): Route[] {
  return [
    post('/api/callback/{channel}', 'nothing', 'Callbacks', {
      summary: 'Receive a callback from a provider',
      description:
        'Called by a provider to report the outcome of a payment or refund. The body is of any type, up to 256 KiB, in ' +
        "the provider's own format. No Authorization header: the signature is verified with the channel's " +
        '`webhookSecret`. The callback is stored before it is answered and settled afterwards; a repeated callback gets ' +
        'the same answer.',
      params: callbackParams,
      rawBody: { maximumBytes },
      data: callbackReceived,
      handle: async ({ params, query, headers, rawBody }) => {
        await intake.receive(params.channel as string, { headers, query: lastValues(query), body: rawBody });
        return { message: 'Callback received', data: { received: true } };
      },
    }),
  ];
}

/** The query has no schema: if a parameter is repeated, the last value counts. */
function lastValues(query: unknown): Record<string, string> {
  const params = Object.entries(query as Record<string, string | string[]>);
  return Object.fromEntries(params.map(([name, value]) => [name, [value].flat().at(-1) ?? '']));
}
