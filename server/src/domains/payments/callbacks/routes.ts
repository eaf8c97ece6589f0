import { post, type Route } from '../../../platform/http/route.ts';
import type { CallbackIntake } from './receive.ts';
import { callbackParams, callbackReceived } from './schema.ts';

/** The providers that are known send a few KiB. */
const maximumBytes = 256 * 1024;

export function callbackRoutes({ intake }: { intake: CallbackIntake }): Route[] {
  return [
    post('/api/callback/{channel}', 'nothing', 'Callbacks', {
      summary: 'Take a callback of a provider',
      description:
        'Where a provider tells what became of a payment or refund: a body of any kind, at most 256 KiB, as its own ' +
        "documentation describes it. It needs no Authorization: its signature is checked with the channel's " +
        '`webhookSecret`. Answered as soon as it is on disk, and settled afterwards; a repeat is answered alike.',
      params: callbackParams,
      rawBody: { maximumBytes },
      data: callbackReceived,
      handle: async ({ params, query, headers, rawBody }) => {
        await intake.receive(params.channel as string, { headers, query: singles(query), body: rawBody });
        return { message: 'Callback received', data: { received: true } };
      },
    }),
  ];
}

/** The query as it was parsed, by no shape: of a parameter that is given twice the last one counts. */
function singles(query: unknown): Record<string, string> {
  const given = Object.entries(query as Record<string, string | string[]>);
  return Object.fromEntries(given.map(([name, value]) => [name, [value].flat().at(-1) ?? '']));
}
