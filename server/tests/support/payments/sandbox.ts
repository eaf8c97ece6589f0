import { minuteMs, secondMs } from '../../../src/core/clock.ts';
import type {
  Call,
  CancelOperation,
  CaptureOperation,
  ChargeOperation,
  Credentials,
  RefundOperation,
} from '../../../src/domains/payments/providers/provider.ts';
import { sandboxCallbackSender } from '../../../src/domains/payments/providers/sandbox/callback-sender.ts';
import { referenceOf } from '../../../src/domains/payments/providers/sandbox/messages.ts';
import { Sandbox } from '../../../src/domains/payments/providers/sandbox/sandbox.ts';
import type { Queryable } from '../../../src/platform/postgres/database.ts';
import { eventually, type TestDatabase } from '../postgres/database.ts';

export const webhookSecret = 'a secret between two';
export const credentials: Credentials = { apiKey: 'key', apiSecret: null, webhookSecret };

export interface Delivered {
  channelId: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The default of `app.sandbox.delay`. */
export const sandboxDelayMs = 3 * secondMs;

/** The sandbox of one node on a test database, with a clock that stands still and a record of what the sandbox did. */
export function sandboxOn(
  { database }: TestDatabase,
  startMs = Date.UTC(2026, 2, 31, 9, 30),
  delayMs = sandboxDelayMs,
) {
  let nowMs = startMs;
  const statements: string[] = [];
  const delivered: Delivered[] = [];
  const errors: unknown[] = [];
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
    /** The callbacks that `accept` has accepted. */
    delivered,
    errors,
    moveBy: (ms: number) => {
      nowMs += ms;
      node.sender.wake();
    },
    now: () => nowMs,
    /** Makes a call whose deadline passes when the sandbox runs no statement any more. */
    cutOff: async <Answer>(perform: (call: Call) => Promise<Answer>): Promise<Answer> => {
      const deadline = new AbortController();
      const answer = perform(call({ signal: deadline.signal }));
      do await new Promise((resolve) => setTimeout(resolve, 2));
      while (running > 0);
      deadline.abort(new Error('The deadline has passed.'));
      return answer;
    },
    /** Receives a callback. A test replaces it to refuse one, by throwing. */
    accept: async (_callback: Delivered): Promise<void> => {},
    sandbox: new Sandbox({
      database: watched,
      clock: () => nowMs,
      publicUrl: 'https://pay.example.com',
      sandboxDelayMs: delayMs,
    }),
    sender: sandboxCallbackSender({
      database: watched,
      clock: () => nowMs,
      delayMs,
      deliverCallback: async (channelId, headers, body) => {
        const callback = { channelId, headers, body };
        await node.accept(callback);
        delivered.push(callback);
      },
      onError: (error) => errors.push(error),
    }),
  };
  return node;
}

/**
 * The time of a service whose sandbox does nothing late before `pass` is called: so a test sees each state before and
 * after, however slow the machine is, and waits for none.
 */
export function sandboxTime(aheadMs = 0) {
  let skewMs = aheadMs;
  return {
    clock: () => Date.now() + skewMs,
    settings: { APP_SANDBOX_DELAY: '1m' },
    moveTo: (ms: number) => {
      skewMs = ms - Date.now();
    },
    /** When the sandbox has answered all that it was asked, what comes late comes. */
    pass: async (db: TestDatabase) => {
      await eventually('the sandbox has answered', async () => {
        const [waiting] = await db.query(`select from provider_operation where state in ('READY', 'CALLING') limit 1`);
        return waiting === undefined;
      });
      skewMs += minuteMs;
    },
  };
}

let keys = 0;
/** A key that no other operation of this test has. */
export const freshKey = () => `txn_${(++keys).toString(16).padStart(32, '0')}-1`;

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
    calledMs: null,
    paymentMethod: null,
    method: null,
    initiator: 'PAYER',
    save: null,
    captureMethod: 'AUTOMATIC',
    lines: null,
    billingAddress: null,
    statementDescriptor: null,
    payerFlow: 'REDIRECT',
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

export function captureOf(charge: ChargeOperation, changes: Partial<CaptureOperation> = {}): CaptureOperation {
  return {
    kind: 'CAPTURE',
    ...followingOn(charge),
    chargeKey: charge.key,
    chargeReference: referenceOf(charge.key),
    authorizedAmount: charge.amount,
    capturedBefore: 0,
    isFinal: true,
    ...changes,
  };
}

export function cancelOf(charge: ChargeOperation, changes: Partial<CancelOperation> = {}): CancelOperation {
  return {
    kind: 'CANCEL',
    ...followingOn(charge),
    chargeKey: charge.key,
    chargeReference: null,
    chargeCreatedMs: charge.createdMs,
    chargeCalledMs: charge.createdMs,
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
    calledMs: null,
  };
}

/** A call without a deadline. */
export function call(changes: Partial<Call> = {}): Call {
  return { credentials, channelId: 7, signal: new AbortController().signal, timeoutMs: 10_000, ...changes };
}
