import { Pool } from 'undici';
import { eventually } from './database.ts';

const connections = 20;

export interface PaymentLoad {
  /** Creates answered with 200 so far: payment ids by Idempotency-Key. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Keys with an unknown outcome: the connection broke, or the service refused. */
  readonly unknown: string[];
  /** Errors of requests that had been sent completely on an open connection. */
  readonly cutOff: string[];
  /** Statuses other than 200. */
  readonly refusals: number[];
  /** Resolves when `count` more creates have been answered with 200. */
  answered: (count: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** The payment for a key of the load; the key is its description. */
export const paymentOf = (channelId: number, key: string) => ({
  amount: 1999,
  currency: 'USD',
  channelId,
  description: key,
});

/** Creates payments on 20 connections, one after the other on each, until stopped. */
export function startPaymentLoad(address: string, as: string, channelId: number, name: string): PaymentLoad {
  const pool = new Pool(address, { connections, pipelining: 1 });
  const sent = new Set<string>();
  const acknowledged = new Map<string, string>();
  const cutOff: string[] = [];
  const refusals: number[] = [];
  let stopped = false;
  const payers = Array.from({ length: connections }, (_, payer) => pay(payer));
  return {
    acknowledged,
    cutOff,
    refusals,
    get unknown() {
      return [...sent].filter((key) => !acknowledged.has(key));
    },
    answered: async (count) => {
      const wanted = acknowledged.size + count;
      await eventually(`${wanted} creates are answered`, () => acknowledged.size >= wanted, 20_000);
    },
    stop: async () => {
      stopped = true;
      await Promise.all(payers);
      await pool.destroy();
    },
  };

  async function pay(payer: number): Promise<void> {
    for (let i = 0; !stopped; i++) {
      const key = `${name}-${payer}-${i}`;
      sent.add(key);
      try {
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: '/api/transaction/create',
          headers: { authorization: as, 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(paymentOf(channelId, key)),
        });
        const answer = (await body.json()) as { data: { id: string } };
        if (statusCode === 200) acknowledged.set(key, answer.data.id);
        else refusals.push(statusCode);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        // No connection could be made: the service received nothing.
        if (code === 'ECONNREFUSED') return;
        cutOff.push(`${code}: ${message}`);
      }
    }
  }
}
