import { type ReceiverOptions, receive } from './receiver.ts';

interface Request extends AsyncIterable<Uint8Array> {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body?: unknown;
  readableEnded?: boolean;
}

interface Response {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

/**
 * A handler for Express, Connect and `node:http`: `app.post('/webhooks', florinWebhook({ secret, onEvent }))`. It reads
 * the body itself, or uses the one that `express.raw()` has read.
 */
export function florinWebhook(options: ReceiverOptions): (request: Request, response: Response) => Promise<void> {
  return async (request, response) => {
    const { status, body } = await receive(await rawBodyOf(request), request.headers, options);
    response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };
}

async function rawBodyOf(request: Request): Promise<unknown> {
  if (request.readableEnded === true || request.body instanceof Uint8Array) return request.body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer();
}

export type { ReceiverOptions } from './receiver.ts';
