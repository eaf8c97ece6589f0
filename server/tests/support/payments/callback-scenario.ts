import { afterAll, beforeAll, expect } from 'vitest';
import { type SandboxResult, signedMessage } from '../../../src/domains/payments/providers/sandbox/messages.ts';
import { freshKeyring } from '../../../src/platform/crypto/keyring.ts';
import { administratorOf, dataOf } from '../factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../postgres/database.ts';
import { florinOn, type TestFlorin } from '../service/florin.ts';
import {
  accepted,
  callbackRecords,
  channelSecret,
  eventIdOf,
  makeProviderChannel,
  pendingPayment,
  postCallback,
  sandboxReportOf,
} from './callbacks.ts';

/**
 * A Florin with a channel of the sandbox. The clock stands still unless a test sets `nowMs`, so that no look-up or
 * retry comes due.
 */
export function callbackScenario() {
  const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };
  const clock = (): number => scenario.nowMs;
  const records = callbackRecords((): TestDatabase => scenario.db);
  const scenario = {
    db: undefined as unknown as TestDatabase,
    florin: undefined as unknown as TestFlorin,
    /** The administrator's Authorization header. */
    admin: '',
    channelId: 0,
    nowMs: Date.parse('2026-03-31T09:30:00Z'),
    clock,
    keys,
    pending,
    send,
    detail,
    eventsOf,
    insertCallback,
    dueMs,
    ...records,
  };

  beforeAll(async () => {
    scenario.db = await databaseFromTemplate();
    scenario.florin = await florinOn(scenario.db, keys, clock);
    scenario.admin = await administratorOf(scenario.florin);
    scenario.channelId = await makeProviderChannel(scenario.florin, scenario.admin);
  });

  afterAll(async () => {
    await scenario.florin.stop();
    await scenario.db.drop();
  });

  return scenario;

  function pending(): Promise<string> {
    return pendingPayment(scenario.florin, scenario.db, scenario.channelId, scenario.admin);
  }

  /** Sends a callback about the first charge of a payment, and returns its event id. */
  async function send(id: string, changes: Partial<SandboxResult> = {}, sequence = 1): Promise<string> {
    const message = signedMessage(sandboxReportOf(id, changes), sequence, channelSecret);
    expect((await postCallback(scenario.florin, scenario.channelId, message)).body).toEqual(accepted);
    return eventIdOf(message);
  }

  async function detail(id: string) {
    return dataOf(await scenario.florin.get(`/api/transaction/detail?id=${id}`, scenario.admin));
  }

  async function eventsOf(id: string): Promise<string[]> {
    const events = await scenario.db.query<{ type: string }>(
      'select type from event where object_id = $1 order by created_at, id',
      [id],
    );
    return events.map(({ type }) => type);
  }

  /** A callback stored by a node that died. The sandbox's own callbacks always have the key and the outcome. */
  async function insertCallback(
    eventId: string,
    content: object,
    channel = scenario.channelId,
    { dueMs = scenario.nowMs, leasedUntilMs }: { dueMs?: number; leasedUntilMs?: number } = {},
  ): Promise<void> {
    await scenario.db.query(
      `insert into provider_callback (channel_id, event_id, id, received_at, notice, state, due_at, leased_until, lease)
       values ($1, $2, gen_random_uuid(), $3, $4, 'RECEIVED', $5, $6,
               case when $6::timestamptz is not null then gen_random_uuid() end)`,
      [
        channel,
        eventId,
        new Date(scenario.nowMs),
        JSON.stringify(content),
        new Date(dueMs),
        leasedUntilMs === undefined ? null : new Date(leasedUntilMs),
      ],
    );
  }

  async function dueMs(eventId: string): Promise<number> {
    return Date.parse((await records.storedCallback(eventId))?.due_at ?? '');
  }
}
