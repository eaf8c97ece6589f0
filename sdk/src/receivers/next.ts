import { type ReceiverOptions, receive } from './receiver.ts';

/**
 * A route handler of Next.js: `export const POST = florinWebhook({ secret, onEvent })`. It takes a web-standard
 * Request, so it also serves Deno, Bun, Cloudflare Workers and SvelteKit.
 */
export function florinWebhook(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, body } = await receive(await request.arrayBuffer(), request.headers, options);
    return Response.json(body, { status });
  };
}

export type { ReceiverOptions } from './receiver.ts';
