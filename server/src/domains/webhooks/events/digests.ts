import { createSecretKey, randomBytes } from 'node:crypto';
import type { Key } from '../../../platform/crypto/keyring.ts';
import { macOfParts } from '../../../platform/crypto/mac.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import { statement } from '../../../platform/postgres/statement.ts';

interface KeyRow {
  id: string;
  secret_sealed: Buffer;
}

export const keyAssociatedData = (id: string) => `event_key/0/${id}`;

/** `reseal` seals the keys again and keeps them: what they have authenticated stays checkable. */
export const sealedEventKeys = sealedColumn<KeyRow>({
  noun: 'keys of event digests',
  table: 'event_key',
  column: 'secret_sealed',
  key: [['id', 'text']],
  associatedData: ({ id }) => keyAssociatedData(id),
});

const listKeys = statement<KeyRow>(
  'events.list_keys',
  'select id, secret_sealed from event_key order by created_at, id',
);

const insertKey = statement(
  'events.insert_key',
  'insert into event_key (id, secret_sealed, created_at) values ($1, $2, to_timestamp($3::float8 / 1000))',
);

const hasEvents = statement<{ found: boolean }>('events.has_any', 'select exists (select from event) as found');

type Open = (sealed: Buffer, associatedData: string) => string;
type Seal = (plain: string, associatedData: string) => Buffer;

/** A key of digests. What else it says is sealed with it, so that the database cannot change it. */
export interface EventKey extends Key {
  /** When it was made. */
  sinceMs: number;
  /** Whether an older release had written events before: its nodes may still run during an upgrade. */
  followsOlder: boolean;
}

/**
 * All keys of digests, by their id; undefined where the encryption key that sealed it is lost, or the row was changed.
 */
export async function eventKeys(database: Queryable, open: Open): Promise<Map<string, EventKey | undefined>> {
  const rows = await database.run(listKeys);
  return new Map(rows.map(({ id, secret_sealed }) => [id, keyOf(id, secret_sealed, open)]));
}

function keyOf(id: string, sealed: Buffer, open: Open): EventKey | undefined {
  try {
    return parse(id, open(sealed, keyAssociatedData(id)));
  } catch {
    return undefined;
  }
}

function parse(id: string, text: string): EventKey {
  const { secret, sinceMs, followsOlder } = JSON.parse(text);
  return { id, secret: createSecretKey(Buffer.from(secret, 'base64')), sinceMs, followsOlder };
}

export interface EventKeyDeps {
  seal: Seal;
  open: Open;
  nowMs: number;
}

/**
 * The key for new digests: the newest that can be opened. Makes one if there is none; so may another node at the same
 * time.
 */
export async function currentEventKey(database: Queryable, { seal, open, nowMs }: EventKeyDeps): Promise<EventKey> {
  const usable = [...(await eventKeys(database, open)).values()].filter((key) => key !== undefined);
  const newest = usable.at(-1);
  if (newest !== undefined) return newest;
  const [events] = await database.run(hasEvents);
  const id = randomBytes(4).toString('hex');
  const secret = randomBytes(32).toString('base64');
  const text = JSON.stringify({ secret, sinceMs: nowMs, followsOlder: events?.found ?? true });
  await database.run(insertKey, [id, seal(text, keyAssociatedData(id)), nowMs]);
  return parse(id, text);
}

/** What the digest of an event covers besides its body: whose event it is. */
interface DigestedEvent {
  tenantId: number;
  body: string;
}

const beforeBody = (tenantId: number | bigint) => `event/${tenantId}/`;
const digestedText = ({ tenantId, body }: DigestedEvent) => `${beforeBody(tenantId)}${body}`;

/** The digest of an event whose body was read as bytes. */
export const digestWith = (tenantId: number | bigint, body: Uint8Array, key: Key): Buffer =>
  macOfParts([beforeBody(tenantId), body], key);

/**
 * The digest of an event that is written to this database. null outside a node, which alone has the key: SQL then makes
 * a digest without a key.
 */
export function digestFor(database: Queryable, event: DigestedEvent): Buffer | null {
  return database.macOf?.(digestedText(event)) ?? null;
}
