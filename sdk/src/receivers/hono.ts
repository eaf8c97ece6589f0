import { florinWebhook as fromRequest } from './next.ts';
import type { ReceiverOptions } from './receiver.ts';

/** A handler for Hono: `app.post('/webhooks', florinWebhook({ secret, onEvent }))`. */
export function florinWebhook(options: ReceiverOptions): (context: { req: { raw: Request } }) => Promise<Response> {
  const handle = fromRequest(options);
  return ({ req }) => handle(req.raw);
}

export type { ReceiverOptions } from './receiver.ts';
