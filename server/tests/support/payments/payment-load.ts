import { Pool } from 'undici';
import { eventually } from '../postgres/database.ts';

const connections = 20;

export interface PaymentLoad {
  /** Requests answered 200 so far: the id of the payment by Idempotency-Key. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Keys whose outcome is unknown: the connection broke, or the service answered with an error. */
  readonly unknown: string[];
  /** Errors of requests whose connection broke after it was made. */
  readonly connectionErrors: string[];
  /** Statuses other than 200. */
  readonly errorStatuses: number[];
  /** Resolves when this many more requests have been answered 200. */
  waitForAcknowledged: (count: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** The request body for an Idempotency-Key of the load; the key is also the description. */
export const paymentRequest = (channelId: number, key: string) => ({
  amount: 1999,
  currency: 'USD',
  channelId,
  description: key,
});

/** Creates payments on 20 connections, one request at a time on each, until it is stopped. */
export function startPaymentLoad(address: string, as: string, channelId: number, name: string): PaymentLoad {
  const pool = new Pool(address, { connections, pipelining: 1 });
  const sent = new Set<string>();
  const acknowledged = new Map<string, string>();
  const connectionErrors: string[] = [];
  const errorStatuses: number[] = [];
  let isStopped = false;
  const workers = Array.from({ length: connections }, (_, connection) => createPayments(connection));
  return {
    acknowledged,
    connectionErrors,
    errorStatuses,
    get unknown() {
      return [...sent].filter((key) => !acknowledged.has(key));
    },
    waitForAcknowledged: async (count) => {
      const expected = acknowledged.size + count;
      await eventually(`${expected} payments are created`, () => acknowledged.size >= expected, 20_000);
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(workers);
      await pool.destroy();
    },
  };

  async function createPayments(connection: number): Promise<void> {
    for (let i = 0; !isStopped; i++) {
      const key = `${name}-${connection}-${i}`;
      sent.add(key);
      try {
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: '/api/transaction/create',
          headers: { authorization: as, 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(paymentRequest(channelId, key)),
        });
        const answer = (await body.json()) as { data: { id: string } };
        if (statusCode === 200) acknowledged.set(key, answer.data.id);
        else errorStatuses.push(statusCode);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        // No connection: the service has ended, and did not receive the request.
        if (code === 'ECONNREFUSED') return;
        connectionErrors.push(`${code}: ${message}`);
      }
    }
  }
}
