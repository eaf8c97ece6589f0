import { type ReceiverOptions, receive } from './receiver.ts';

interface Instance {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(type: string, options: { parseAs: 'buffer' }, parser: (...all: never[]) => void): unknown;
  post(path: string, handler: (request: Request, reply: Reply) => Promise<unknown>): unknown;
}

interface Request {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

interface Reply {
  code(status: number): { send(body: unknown): unknown };
}

export interface FastifyReceiverOptions extends ReceiverOptions {
  /** The path of the route, below the `prefix` of the plugin. Default: `/`. */
  path?: string;
}

/**
 * A plugin for Fastify: `app.register(florinWebhook, { path: '/webhooks', secret, onEvent })`. Only its own route gets
 * raw bodies; bodies of other routes are parsed as before.
 */
export async function florinWebhook(
  // biome-ignore lint/suspicious/noExplicitAny: Fastify's types are not a dependency, and its instance is generic
  app: any,
  { path = '/', ...options }: FastifyReceiverOptions,
): Promise<void> {
  const instance = app as Instance;
  instance.removeAllContentTypeParsers();
  const keepRaw = (_request: unknown, body: unknown, done: (error: null, body: unknown) => void): void =>
    done(null, body);
  instance.addContentTypeParser('*', { parseAs: 'buffer' }, keepRaw);
  instance.post(path, async (request, reply) => {
    const { status, body } = await receive(request.body, request.headers, options);
    return reply.code(status).send(body);
  });
}

export type { ReceiverOptions } from './receiver.ts';
