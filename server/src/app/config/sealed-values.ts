import { secretAssociatedData as factorAssociatedData } from '../../domains/identity/second-factor/verify.ts';
import { bodyAssociatedData } from '../../domains/payments/callbacks/receive.ts';
import {
  secretAssociatedData as channelAssociatedData,
  type SecretName,
} from '../../domains/payments/channels/secrets.ts';
import { referenceAssociatedData } from '../../domains/payments/methods/kept.ts';
import { paymentTokenAssociatedData } from '../../domains/payments/transactions/payment-token.ts';
import { endpointSecretAssociatedData as endpointAssociatedData } from '../../domains/webhooks/endpoints/directory.ts';
import { inboxSecretAssociatedData as inboxAssociatedData } from '../../domains/webhooks/inboxes/create.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { Sealer } from '../../platform/crypto/seal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { statement } from '../../platform/postgres/statement.ts';

type Kind =
  | 'channel'
  | 'webhook_endpoint'
  | 'inbox'
  | 'payment_method'
  | 'transaction'
  | 'second_factor'
  | 'provider_callback';

interface SealedRow {
  kind: Kind;
  tenant_id: number;
  id: number;
  name: string;
  /** null where only the id of the key is read. */
  sealed: Buffer | null;
  key_id: string;
  count: number;
}

/**
 * How many values each key has encrypted, by kind of record, with three samples of each to try the key on, because one
 * may be damaged. Kinds that may have millions are read in part: one callback per channel, by primary key, a thousand
 * payment methods and second factors, and a thousand payments whose charge is under way. On two cores with 100,000
 * endpoints and 10,000 channels this takes 0.27 s, with a hundred of each 2 ms. Values: now in ms.
 */
const sampleSealed = statement<SealedRow>(
  'app.sample_sealed',
  `with stored as (
     select 'channel' as kind, c.tenant_id, c.id, s.name, substring(s.sealed from 1 for 33) as head, s.sealed
       from channel c
      cross join lateral (values ('apiKey', c.api_key_sealed), ('apiSecret', c.api_secret_sealed),
                                 ('webhookSecret', c.webhook_secret_sealed)) as s (name, sealed)
     union all
     select 'webhook_endpoint', e.tenant_id, e.id, '', substring(s.sealed from 1 for 33), s.sealed
       from webhook_endpoint e
      cross join lateral (values (e.secret_sealed), (e.next_secret_sealed)) as s (sealed)
      where e.removed_at is null
     union all
     select 'inbox', tenant_id, id, '', substring(secret_sealed from 1 for 33), secret_sealed
       from inbox
      where expires_at > to_timestamp($1::float8 / 1000)
     union all
     (select 'payment_method', tenant_id, 0, id::text, substring(reference_sealed from 1 for 33), reference_sealed
        from payment_method where reference_sealed is not null limit 1000)
     union all
     (select 'transaction', t.tenant_id, 0, t.id::text, substring(t.payment_method_sealed from 1 for 33),
         t.payment_method_sealed
        from provider_operation o join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id
       where o.finished_at is null and o.kind = 'CHARGE' and t.payment_method_sealed is not null limit 1000)
     union all
     (select 'second_factor', 0, user_id, '', substring(secret_sealed from 1 for 33), secret_sealed
        from second_factor limit 1000)
     union all
     select 'provider_callback', c.tenant_id, c.id, '', p.head, null
       from channel c
      cross join lateral (select substring(body_sealed from 1 for 33) as head from provider_callback
                           where channel_id = c.id and body_sealed is not null limit 1) as p
   ), keyed as (
     select *, encode(substring(head from 2 for get_byte(head, 0)), 'escape') as key_id
       from stored
      where length(head) > 0
   ), ranked as (
     select *, count(*) over (partition by kind, key_id) as count,
            row_number() over (partition by kind, key_id order by id) as nth
       from keyed
   )
   select kind, tenant_id, id, name, sealed, key_id, count from ranked where nth <= 3 order by kind, key_id, nth`,
);

/** A key that has encrypted values in the database. */
export interface KeyInUse {
  id: string;
  /** The records it is needed for, such as `channels: 3, webhook endpoints: 1`. */
  what: string;
  /** `absent`: not in the keyring. `other`: the keyring has another key with this id. `lost`: declared lost. */
  state: 'opens' | 'absent' | 'other' | 'lost';
}

const nouns: Record<Kind, string> = {
  channel: 'channels',
  webhook_endpoint: 'webhook endpoints',
  inbox: 'inboxes',
  payment_method: 'payment methods',
  transaction: 'payments under way',
  second_factor: 'second factors',
  provider_callback: 'channels with callbacks',
};

/** The keys that encrypted the values in the database. */
export async function keysInUse(database: Queryable, keys: Keyring, nowMs: number): Promise<KeyInUse[]> {
  const sealer = new Sealer(keys);
  const rows = await database.run(sampleSealed, [nowMs]);
  return [...Map.groupBy(rows, ({ key_id }) => key_id)].map(([id, samples]) => ({
    id,
    what: described(samples),
    state: stateOf(id, samples, keys, sealer),
  }));
}

function stateOf(id: string, samples: SealedRow[], keys: Keyring, sealer: Sealer): KeyInUse['state'] {
  if (keys.isLost(id)) return 'lost';
  if (keys.find(id) === undefined) return 'absent';
  const tried = samples.filter((sample) => sample.sealed !== null);
  return tried.length === 0 || tried.some((sample) => opens(sample, sealer)) ? 'opens' : 'other';
}

function opens(sample: SealedRow, sealer: Sealer): boolean {
  try {
    sealer.open(sample.sealed as Buffer, placeOf(sample));
    return true;
  } catch {
    return false;
  }
}

function placeOf({ kind, tenant_id, id, name }: SealedRow): string {
  switch (kind) {
    case 'channel':
      return channelAssociatedData(tenant_id, id, name as SecretName);
    case 'webhook_endpoint':
      return endpointAssociatedData(tenant_id, id);
    case 'inbox':
      return inboxAssociatedData(id);
    case 'payment_method':
      return referenceAssociatedData({ tenant_id, id: name });
    case 'transaction':
      return paymentTokenAssociatedData(tenant_id, name);
    case 'second_factor':
      return factorAssociatedData(id);
    case 'provider_callback':
      return bodyAssociatedData(id, name);
  }
}

function described(samples: SealedRow[]): string {
  const counts = new Map(samples.map(({ kind, count }) => [kind, count]));
  return [...counts].map(([kind, count]) => `${nouns[kind]}: ${count}`).join(', ');
}
