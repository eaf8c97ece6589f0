import { type Static, type TSchema, Type } from 'typebox';
import type { Call, Endpoint, EndpointDefinition, Need, Route } from './route.ts';

/**
 * Makes the routes of modules whose handlers use the services `App`. Bound to `App` first, because TypeScript infers
 * either all type arguments or none: `const { get, post } = routesFor<PaymentsApp>()`.
 */
export function routesFor<App>() {
  return {
    /** A GET route. `needs` is checked before the rest of the request. */
    get: <Body extends TSchema, Query extends TSchema, Data extends TSchema>(
      path: string,
      needs: Need,
      group: string,
      definition: EndpointDefinition<Body, Query, Data, App>,
    ): Route<App> => ({ method: 'GET', path, needs, group, endpoint: endpointOf(definition) }),

    /** A POST route. */
    post: <Body extends TSchema, Query extends TSchema, Data extends TSchema>(
      path: string,
      needs: Need,
      group: string,
      definition: EndpointDefinition<Body, Query, Data, App>,
    ): Route<App> => ({ method: 'POST', path, needs, group, endpoint: endpointOf(definition) }),

    /** A POST route that accepts an Idempotency-Key. The reply to a repeat is marked `Idempotency-Replayed: true`. */
    postOnce: <Body extends TSchema, Query extends TSchema, Data extends TSchema>(
      path: string,
      needs: Need,
      group: string,
      definition: OnceDefinition<Body, Query, Data, App>,
    ): Route<App> => ({ method: 'POST', path, needs, group, endpoint: onceEndpointOf(definition) }),
  };
}

/** A write that accepts an Idempotency-Key. */
interface OnceDefinition<Body extends TSchema, Query extends TSchema, Data extends TSchema, App>
  extends Omit<EndpointDefinition<Body, Query, Data, App>, 'handle' | 'headers' | 'message'> {
  message: string | ((body: Static<Body>, answer?: Static<Data>) => string);
  handle: (call: Call<Static<Body>, Static<Query>>, app: App) => Promise<OnceAnswer<Static<Data>>>;
}

/** The record, and whether an earlier request with the same key made it. */
export interface OnceAnswer<Data> {
  answer: Data;
  replayed: boolean;
}

/** The message of a route that creates without `id` and updates with it. */
export function savedMessage(record: string): (body: { id?: unknown }) => string {
  return ({ id }) => (id === undefined ? `${record} created` : `${record} updated`);
}

function endpointOf<Body extends TSchema, Query extends TSchema, Data extends TSchema, App>(
  definition: EndpointDefinition<Body, Query, Data, App>,
): Endpoint<App> {
  return { paged: false, ...definition } as unknown as Endpoint<App>;
}

function onceEndpointOf<Body extends TSchema, Query extends TSchema, Data extends TSchema, App>({
  message,
  handle,
  ...definition
}: OnceDefinition<Body, Query, Data, App>): Endpoint<App> {
  const endpoint: Omit<Endpoint<App>, 'handle'> = { paged: false, ...definition, once: true, headers: onceHeaders };
  const handleOnce = async (call: Call<Static<Body>, Static<Query>>, app: App) => {
    const { answer, replayed: isReplayed } = await handle(call, app);
    const text = typeof message === 'string' ? message : message(call.body, answer);
    return isReplayed
      ? { message: text, data: answer, isStored: true, headers: replayed }
      : { message: text, data: answer };
  };
  return { ...endpoint, handle: handleOnce as unknown as Endpoint<App>['handle'] };
}

const replayed = { 'idempotency-replayed': 'true' };

const onceHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A request with the same key and body returns the same answer again; the same key with another body ' +
        'is refused (422).',
    }),
  ),
});
