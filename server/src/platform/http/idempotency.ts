import type { IncomingHttpHeaders } from 'node:http';
import { type Static, type TSchema, Type } from 'typebox';
import { invalid } from '../../core/errors.ts';
import { type Call, type EndpointDefinition, type Need, post, type Route } from './route.ts';

const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A request with the same key and body returns the same answer again; the same key with another body is refused (422).',
    }),
  ),
});

/** A write that accepts an Idempotency-Key: how it is performed, and what the reply says. */
interface OnceDefinition<Body extends TSchema, Query extends TSchema, Data extends TSchema>
  extends Omit<EndpointDefinition<Body, Query, Data>, 'handle' | 'headers'> {
  message: string | ((body: Static<Body>, answer?: Static<Data>) => string);
  perform: (
    call: Call<Static<Body>, Static<Query>>,
    idempotencyKey: string | undefined,
  ) => Promise<{ replayed: boolean } & ({ answer: Static<Data> } | { json: string })>;
}

/** A POST route that accepts an Idempotency-Key. The reply to a repeat is marked `Idempotency-Replayed: true`. */
export function postOnce<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  path: string,
  needs: Need,
  group: string,
  { message, perform, ...definition }: OnceDefinition<Body, Query, Data>,
): Route {
  return post(path, needs, group, {
    ...definition,
    headers: idempotencyHeaders,
    handle: async (call: Call<Static<Body>, Static<Query>>) => {
      const result = await perform(call, idempotencyKeyOf(call.headers));
      const answer = 'json' in result ? undefined : result.answer;
      const text = typeof message === 'string' ? message : message(call.body, answer);
      const headers = result.replayed ? replayed : undefined;
      return 'json' in result
        ? { message: text, json: result.json, headers }
        : { message: text, data: answer, headers };
    },
  } as EndpointDefinition<Body, Query, Data>);
}

/** The message of a route that creates without `id` and updates with it. */
export function savedMessage(record: string): (body: { id?: unknown }) => string {
  return ({ id }) => (id === undefined ? `${record} created` : `${record} updated`);
}

const replayed = { 'idempotency-replayed': 'true' };

function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= 255) return key;
  throw invalid('Idempotency-Key', 'Idempotency-Key must have 1 to 255 characters.');
}
