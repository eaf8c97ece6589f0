import type { FailureCode } from '../failures.ts';
import type { Call, CancelOperation, ChargeOperation, Operation, RefundOperation } from '../provider.ts';
import { type Behaviour, lateMs, succeed } from './behaviours.ts';
import { keyOfReference, type Message, type MessageState, signedMessage } from './messages.ts';
import type { BookedState, Booking } from './statements.ts';

/** What the payer can choose on the page, and what follows. */
export const decisions = {
  pay: { state: 'SUCCEEDED', failureCode: null },
  fail: { state: 'FAILED', failureCode: 'authentication_failed' },
  cancel: { state: 'CANCELLED', failureCode: null },
} as const satisfies Record<string, { state: MessageState & BookedState; failureCode: FailureCode | null }>;

export type Decision = keyof typeof decisions;

/** How an operation goes into the books when it is asked for the first time. */
export function bookingOf(
  operation: ChargeOperation | RefundOperation,
  behaviour: Behaviour,
  call: Call,
  nowMs: number,
): Booking {
  const settlesMs = behaviour.isLate ? nowMs + lateMs : null;
  const returnsMs = behaviour.isReturned ? nowMs + lateMs : null;
  return {
    ...plainBooking(operation, call, nowMs),
    state: firstState(operation.kind, behaviour),
    behaviour: behaviour === succeed ? null : behaviour.word,
    failure_code: returnsMs === null ? (behaviour.failure ?? null) : null,
    fee: behaviour.fee ?? null,
    settles_ms: settlesMs,
    returns_ms: returnsMs,
    lookups_left: behaviour.lookUps ?? null,
    charge_key: operation.kind === 'REFUND' ? keyOfReference(operation.chargeReference) : null,
    return_url: behaviour.ends === 'UNDECIDED' && operation.kind === 'CHARGE' ? operation.returnUrl : null,
    ...callbacksOf(operation, behaviour, call, settlesMs ?? returnsMs),
  };
}

/** What comes of a cancellation is found when it is settled. */
export function cancellationOf(operation: CancelOperation, call: Call, isSilent: boolean, nowMs: number): Booking {
  return {
    ...plainBooking(operation, call, nowMs),
    state: 'UNTAKEN',
    behaviour: isSilent ? 'silent' : null,
    charge_key: operation.chargeKey,
  };
}

function plainBooking({ key, kind, amount, currency }: Operation, { channelId }: Call, nowMs: number): Booking {
  return {
    key,
    kind,
    channel_id: channelId,
    amount,
    currency,
    state: 'SUCCEEDED',
    behaviour: null,
    failure_code: null,
    fee: null,
    settles_ms: null,
    returns_ms: null,
    lookups_left: null,
    charge_key: null,
    return_url: null,
    callbacks_json: null,
    callback_due_ms: null,
    callback_trouble: null,
    created_ms: nowMs,
  };
}

/** A refund that is to succeed is taken when its charge has been asked (`settleRefund`). */
function firstState(kind: 'CHARGE' | 'REFUND', { ends, arrives }: Behaviour): BookedState {
  if (arrives !== undefined) return 'UNTAKEN';
  return ends ?? (kind === 'CHARGE' ? 'SUCCEEDED' : 'UNTAKEN');
}

type Callbacks = Pick<Booking, 'callbacks_json' | 'callback_due_ms' | 'callback_trouble'>;

function callbacksOf(
  operation: Operation,
  { ends, tells, failure }: Behaviour,
  { credentials: { webhookSecret } }: Call,
  dueMs: number | null,
): Callbacks {
  const isDecided = ends === 'UNDECIDED';
  if (tells === undefined && !isDecided) return noCallbacks;
  if (webhookSecret === null || webhookSecret === '') return { ...noCallbacks, callback_trouble: 'no_secret' };
  const { key, amount, currency } = operation;
  const signed = (state: MessageState, sequence: number, failureCode: FailureCode | null): Message =>
    signedMessage({ key, state, failureCode, fee: null, amount, currency }, sequence, webhookSecret);
  if (isDecided) {
    const lists = Object.entries(decisions).map(([decision, { state, failureCode }]) => [
      decision,
      [signed(state, 1, failureCode)],
    ]);
    return { ...noCallbacks, callbacks_json: JSON.stringify(Object.fromEntries(lists)) };
  }
  const list = (tells ?? []).map(({ state, sequence }) =>
    signed(state, sequence, isFailure(state) ? (failure ?? 'card_declined') : null),
  );
  return { callbacks_json: JSON.stringify(list), callback_due_ms: dueMs, callback_trouble: null };
}

const noCallbacks: Callbacks = { callbacks_json: null, callback_due_ms: null, callback_trouble: null };

const isFailure = (state: MessageState) => state === 'FAILED' || state === 'ATTEMPT_FAILED';
