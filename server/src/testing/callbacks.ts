import { headersOf, type SignedMessage, type Told } from '../domains/payments/providers/sandbox/messages.ts';
import { makeChannel, makePayment } from './cast.ts';
import { eventually, type TestDatabase } from './database.ts';
import type { Reply, TestFlorin } from './florin.ts';

/** What a channel of these tests checks callbacks with. */
export const channelSecret = 'whsec_of_the_channel';

/** How a callback is answered that is taken. */
export const accepted = { code: 200, message: 'Callback received', data: { received: true } };

export function makeProvidedChannel(
  florin: TestFlorin,
  as: string,
  changes: Record<string, unknown> = {},
): Promise<number> {
  return makeChannel(florin, as, { provider: 'sandbox', webhookSecret: channelSecret, ...changes });
}

/** What the sandbox could say of a payment's first charge. */
export function toldOf(paymentId: string, changes: Partial<Told> = {}): Told {
  return { key: `${paymentId}-1`, state: 'SUCCEEDED', failureCode: null, fee: null, currency: 'USD', ...changes };
}

/** Sends a callback as the sandbox would, to a channel by its id or code. */
export function postCallback(florin: TestFlorin, channel: number | string, message: SignedMessage): Promise<Reply> {
  return florin.call('POST', `/api/callback/${channel}`, { body: message.body, headers: headersOf(message) });
}

export const eventIdOf = ({ body }: SignedMessage): string => JSON.parse(body).id;

export interface KeptCallback {
  state: string;
  tries: number;
  channel_id: number;
  due_at: string;
}

/** What lies in the database about callbacks and what they moved; it need not be there yet. */
export function callbackRecords(database: () => TestDatabase) {
  const query: TestDatabase['query'] = (sql, values) => database().query(sql, values);
  const uuidOf = (id: string) => id.replace('txn_', '');
  const kept = async (eventId: string): Promise<KeptCallback | undefined> =>
    (
      await query<KeptCallback>('select state, tries, channel_id, due_at from provider_callback where event_id = $1', [
        eventId,
      ])
    )[0];
  const operationsOf = (id: string) =>
    query<{ number: number; state: string; settled_by: string | null; look_ups: number }>(
      'select number, state, settled_by, look_ups from provider_operation where transaction_id = $1 order by number',
      [uuidOf(id)],
    );
  return {
    uuidOf,
    kept,
    operationsOf,
    settled: (eventId: string) =>
      eventually(`${eventId} is settled`, async () => (await kept(eventId))?.state === 'SETTLED'),
    tried: (eventId: string, tries: number) =>
      eventually(`${eventId} has been tried`, async () => (await kept(eventId))?.tries === tries),
    waits: (id: string, operation = 1) =>
      eventually(`${id} waits`, async () => (await operationsOf(id))[operation - 1]?.state === 'WAITING'),
    /** Of callbacks and contradictions, in words. */
    notesOf: async (id: string): Promise<string[]> => {
      const rows = await query<{ kind: string; detail: { eventId: string; said: string } }>(
        `select kind, detail from transaction_note where transaction_id = $1 and kind in ('callback', 'contradiction')
          order by at, id`,
        [uuidOf(id)],
      );
      return rows.map(({ kind, detail }) => `${kind === 'callback' ? detail.eventId : kind} ${detail.said}`);
    },
  };
}

/** A payment that is under way at the sandbox, which will say nothing of it by itself. */
export async function pendingPayment(
  florin: TestFlorin,
  db: TestDatabase,
  channelId: number,
  as: string,
): Promise<string> {
  const id = await makePayment(florin, as, channelId, { metadata: { sandbox: 'pending' } });
  await callbackRecords(() => db).waits(id);
  return id;
}
