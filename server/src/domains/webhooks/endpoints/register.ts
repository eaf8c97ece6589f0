import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { AddressGuard } from './address-guard.ts';
import { type EndpointDirectory, secretPlace } from './directory.ts';
import { demandReading } from './rules.ts';
import type { registerInput } from './schema.ts';
import { type EndpointRow, insertEndpoint, nextEndpointId } from './statements.ts';

export interface WebhookDeps {
  database: Queryable;
  directory: EndpointDirectory;
  guard: Pick<AddressGuard, 'allowsTarget'>;
  /** Seals a secret to the place it is kept in. */
  seal: (plain: string, where: string) => Buffer;
  clock: Clock;
}

/** Registers an endpoint of the caller's tenant: from now on its events are delivered there. */
export async function registerEndpoint(
  { url, events, secret }: Static<typeof registerInput>,
  principal: Principal,
  { database, directory, guard, seal, clock }: WebhookDeps,
): Promise<EndpointRow> {
  demandReading(events, principal);
  await demandReachable(url, guard);
  const { tenantId, userId } = principal;
  const [{ id }] = (await database.run(nextEndpointId)) as [{ id: number }];
  const sealed = seal(secret, secretPlace(tenantId, id));
  const [row] = await database.run(insertEndpoint, [
    tenantId,
    id,
    userId,
    url,
    [...new Set(events)],
    sealed,
    new Date(clock()),
  ]);
  await directory.changed(database, id);
  return row as EndpointRow;
}

/** The parser repairs the rest without a word: what is stored would read otherwise than what is connected to. */
const asConnectedTo = /^https?:\/\/[^/\\?#@]+([/?#][^\\]*)?$/i;

/** Refuses an address that deliveries may not be posted to. */
export async function demandReachable(text: string, guard: WebhookDeps['guard']): Promise<void> {
  // The parser would leave them out.
  if (/[\s\p{Cc}]/u.test(text)) throw invalid('url', 'url must not hold spaces or control characters.');
  if (!URL.canParse(text)) throw invalid('url', 'url must be an absolute URL.');
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw invalid('url', 'url must begin with https:// or http://.');
  if (username !== '' || password !== '') throw invalid('url', 'url must not hold a user name or password.');
  if (!asConnectedTo.test(text)) {
    throw invalid('url', 'url must have its host right after https:// or http://, and hold no backslash.');
  }
  if (await guard.allowsTarget(hostname)) return;
  throw new Refusal('webhook_address_forbidden', 'url leads to an address that deliveries may not reach.', {
    field: 'url',
  });
}
