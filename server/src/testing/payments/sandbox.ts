import type {
  Call,
  CancelOperation,
  ChargeOperation,
  Credentials,
  RefundOperation,
} from '../../domains/payments/providers/provider.ts';
import { sandboxCallbackSender } from '../../domains/payments/providers/sandbox/callback-sender.ts';
import { referenceOf } from '../../domains/payments/providers/sandbox/messages.ts';
import { Sandbox } from '../../domains/payments/providers/sandbox/sandbox.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { TestDatabase } from '../postgres/database.ts';

export const webhookSecret = 'a secret between two';
export const credentials: Credentials = { apiKey: 'key', apiSecret: null, webhookSecret };

export interface Delivered {
  channelId: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** One node's sandbox on a test database: with a clock that stands still, and what it did kept. */
export function sandboxOn({ database }: TestDatabase, startMs = Date.UTC(2026, 2, 31, 9, 30)) {
  let nowMs = startMs;
  const statements: string[] = [];
  const delivered: Delivered[] = [];
  const troubles: unknown[] = [];
  let running = 0;
  const watched: Queryable = {
    run: (statement, values) => {
      statements.push(statement.name);
      running++;
      return database.run(statement, values).finally(() => running--);
    },
  };
  const node = {
    /** The names of all statements run so far. */
    statements,
    /** Callbacks that were accepted, or whatever `accept` did with them. */
    delivered,
    troubles,
    moveBy: (ms: number) => {
      nowMs += ms;
      node.sender.wake();
    },
    now: () => nowMs,
    /** A call whose deadline comes when the sandbox has done all it is going to do. */
    cutOff: async <Answer>(ask: (call: Call) => Promise<Answer>): Promise<Answer> => {
      const deadline = new AbortController();
      const answer = ask(call({ signal: deadline.signal }));
      do await new Promise((resolve) => setTimeout(resolve, 2));
      while (running > 0);
      deadline.abort(new Error('The deadline has passed.'));
      return answer;
    },
    /** Throws to refuse a callback. */
    accept: async (_callback: Delivered): Promise<void> => {},
    sandbox: new Sandbox({ database: watched, clock: () => nowMs, publicUrl: 'https://pay.example.com' }),
    sender: sandboxCallbackSender({
      database: watched,
      clock: () => nowMs,
      deliverCallback: async (channelId, headers, body) => {
        const callback = { channelId, headers, body };
        await node.accept(callback);
        delivered.push(callback);
      },
      onError: (error) => troubles.push(error),
    }),
  };
  return node;
}

let drawn = 0;
/** A key that no other operation of this test has. */
export const freshKey = () => `txn_${(++drawn).toString(16).padStart(32, '0')}-1`;

export function chargeOf(changes: Partial<ChargeOperation> = {}): ChargeOperation {
  const key = changes.key ?? freshKey();
  return {
    kind: 'CHARGE',
    key,
    transactionId: key.slice(0, -2),
    amount: 1999,
    currency: 'USD',
    description: null,
    metadata: null,
    reference: null,
    createdMs: 0,
    paymentMethod: null,
    returnUrl: 'https://shop.example.com/thanks',
    callbackUrl: 'https://pay.example.com/api/callback/7',
    ...changes,
  };
}

export function refundOf(charge: ChargeOperation, changes: Partial<RefundOperation> = {}): RefundOperation {
  return {
    kind: 'REFUND',
    ...followingOn(charge),
    chargeReference: referenceOf(charge.key),
    reason: null,
    ...changes,
  };
}

export function cancelOf(charge: ChargeOperation, changes: Partial<CancelOperation> = {}): CancelOperation {
  return {
    kind: 'CANCEL',
    ...followingOn(charge),
    chargeKey: charge.key,
    chargeReference: null,
    ...changes,
  };
}

/** What a refund or a cancellation has in common with its charge. */
function followingOn({ transactionId, amount, currency, metadata }: ChargeOperation) {
  return {
    key: freshKey(),
    transactionId,
    amount,
    currency,
    description: null,
    metadata,
    reference: null,
    createdMs: 0,
  };
}

/** A call with time enough. */
export function call(changes: Partial<Call> = {}): Call {
  return { credentials, channelId: 7, signal: new AbortController().signal, timeoutMs: 10_000, ...changes };
}
