import {
  headersOf,
  type SandboxResult,
  type SignedMessage,
} from '../../../src/domains/payments/providers/sandbox/messages.ts';
import { makeChannel, makePayment } from '../factories.ts';
import { eventually, type TestDatabase } from '../postgres/database.ts';
import type { FlorinClient, Reply } from '../service/florin.ts';

/** The webhookSecret of the channels of these tests. */
export const channelSecret = 'whsec_of_the_channel';

/** The body of the answer to an accepted callback. */
export const accepted = { code: 200, message: 'Callback received', data: { received: true } };

export function makeProviderChannel(
  florin: FlorinClient,
  as: string,
  changes: Record<string, unknown> = {},
): Promise<number> {
  return makeChannel(florin, as, { provider: 'sandbox', webhookSecret: channelSecret, ...changes });
}

/** A report of the sandbox about a payment's first charge. */
export function sandboxReportOf(paymentId: string, changes: Partial<SandboxResult> = {}): SandboxResult {
  return { key: `${paymentId}-1`, state: 'SUCCEEDED', failureCode: null, fee: null, currency: 'USD', ...changes };
}

/** Sends a callback as the sandbox would, to a channel by its id or code. */
export function postCallback(florin: FlorinClient, channel: number | string, message: SignedMessage): Promise<Reply> {
  return florin.call('POST', `/api/callback/${channel}`, { body: message.body, headers: headersOf(message) });
}

export const eventIdOf = ({ body }: SignedMessage): string => JSON.parse(body).id;

export interface StoredCallback {
  state: string;
  tries: number;
  channel_id: number;
  due_at: string;
}

/** Reads callbacks and their operations from the database, which is opened after this call. */
export function callbackRecords(database: () => TestDatabase) {
  const query: TestDatabase['query'] = (sql, values) => database().query(sql, values);
  const uuidOf = (id: string) => id.replace('txn_', '');
  const storedCallback = async (eventId: string): Promise<StoredCallback | undefined> =>
    (
      await query<StoredCallback>(
        'select state, tries, channel_id, due_at from provider_callback where event_id = $1',
        [eventId],
      )
    )[0];
  const operationsOf = (id: string) =>
    query<{ number: number; state: string; settled_by: string | null; look_ups: number }>(
      'select number, state, settled_by, look_ups from provider_operation where transaction_id = $1 order by number',
      [uuidOf(id)],
    );
  return {
    uuidOf,
    storedCallback,
    operationsOf,
    callbackSettled: (eventId: string) =>
      eventually(`${eventId} is settled`, async () => (await storedCallback(eventId))?.state === 'SETTLED'),
    callbackTried: (eventId: string, tries: number) =>
      eventually(`${eventId} is tried`, async () => (await storedCallback(eventId))?.tries === tries),
    operationWaiting: (id: string, operation = 1) =>
      eventually(
        `operation ${operation} of ${id} is WAITING`,
        async () => (await operationsOf(id))[operation - 1]?.state === 'WAITING',
      ),
    /** The callbacks and contradictions on the timeline: the event id or `contradiction`, then the outcome. */
    messagesOf: async (id: string): Promise<string[]> => {
      const rows = await query<{ kind: string; detail: { eventId: string; said: string } }>(
        `select kind, detail from timeline_message where transaction_id = $1 and kind in ('callback', 'contradiction')
          order by at, id`,
        [uuidOf(id)],
      );
      return rows.map(({ kind, detail }) => `${kind === 'callback' ? detail.eventId : kind} ${detail.said}`);
    },
  };
}

/** A payment whose charge is WAITING at the sandbox, which reports no outcome unless asked. */
export async function pendingPayment(
  florin: FlorinClient,
  db: TestDatabase,
  channelId: number,
  as: string,
): Promise<string> {
  const id = await makePayment(florin, as, channelId, { metadata: { sandbox: 'pending' } });
  await callbackRecords(() => db).operationWaiting(id);
  return id;
}
