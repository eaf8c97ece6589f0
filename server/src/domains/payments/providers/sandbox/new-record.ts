import type { FailureCode } from '../failures.ts';
import type { Call, CancelOperation, ChargeOperation, Operation, RefundOperation } from '../provider.ts';
import { type Behaviour, lateMs, refundWordOf, succeed } from './behaviours.ts';
import { keyOfReference, type MessageState, type SignedMessage, signedMessage } from './messages.ts';
import type { NewOperationRecord, OperationState } from './statements.ts';

/** The payer's choices on the sandbox's page, and their results. */
export const payerChoices = {
  pay: { state: 'SUCCEEDED', failureCode: null },
  fail: { state: 'FAILED', failureCode: 'authentication_failed' },
  cancel: { state: 'CANCELLED', failureCode: null },
} as const satisfies Record<string, { state: MessageState & OperationState; failureCode: FailureCode | null }>;

export type PayerChoice = keyof typeof payerChoices;

/** The record of an operation at its first call. */
export function newOperationRecord(
  operation: ChargeOperation | RefundOperation,
  behaviour: Behaviour,
  call: Call,
  nowMs: number,
): NewOperationRecord {
  const settlesMs = behaviour.isLate ? nowMs + lateMs : null;
  const returnsMs = behaviour.isReturnedLater ? nowMs + lateMs : null;
  return {
    ...defaultRecord(operation, call, nowMs),
    state: initialState(operation.kind, behaviour),
    behaviour: behaviour === succeed ? (refundWordOf(operation) ?? null) : behaviour.word,
    failure_code: returnsMs === null ? (behaviour.failure ?? null) : null,
    fee: behaviour.fee ?? null,
    settles_ms: settlesMs,
    returns_ms: returnsMs,
    lookups_left: behaviour.succeedsAtLookUp ?? null,
    charge_key: operation.kind === 'REFUND' ? keyOfReference(operation.chargeReference) : null,
    ...(behaviour.finalState === 'UNDECIDED' && operation.kind === 'CHARGE' && shownToPayer(operation)),
    ...callbacksOf(operation, behaviour, call, settlesMs ?? returnsMs),
  };
}

const shownToPayer = ({ returnUrl, statementDescriptor }: ChargeOperation) => ({
  return_url: returnUrl,
  statement_descriptor: statementDescriptor,
});

/** The record of a cancellation. `settleCancel` determines its result. */
export function newCancellationRecord(
  operation: CancelOperation,
  call: Call,
  isSilent: boolean,
  nowMs: number,
): NewOperationRecord {
  return {
    ...defaultRecord(operation, call, nowMs),
    state: 'UNTAKEN',
    behaviour: isSilent ? 'silent' : null,
    charge_key: operation.chargeKey,
  };
}

function defaultRecord(
  { key, kind, amount, currency }: Operation,
  { channelId }: Call,
  nowMs: number,
): NewOperationRecord {
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
    statement_descriptor: null,
    customer: null,
    callbacks_json: null,
    callback_due_ms: null,
    callback_trouble: null,
    created_ms: nowMs,
  };
}

/** A refund that should succeed is UNTAKEN until `settleRefund` has checked its charge. */
function initialState(kind: 'CHARGE' | 'REFUND', { finalState, effectiveCall }: Behaviour): OperationState {
  if (effectiveCall !== undefined) return 'UNTAKEN';
  return finalState ?? (kind === 'CHARGE' ? 'SUCCEEDED' : 'UNTAKEN');
}

type Callbacks = Pick<NewOperationRecord, 'callbacks_json' | 'callback_due_ms' | 'callback_trouble'>;

function callbacksOf(
  operation: Operation,
  { finalState, callbacks, failure }: Behaviour,
  { credentials: { webhookSecret } }: Call,
  dueMs: number | null,
): Callbacks {
  const isPayersChoice = finalState === 'UNDECIDED';
  if (callbacks === undefined && !isPayersChoice) return noCallbacks;
  if (webhookSecret === null || webhookSecret === '') return { ...noCallbacks, callback_trouble: 'no_secret' };
  const { key, amount, currency } = operation;
  const signed = (state: MessageState, sequence: number, failureCode: FailureCode | null): SignedMessage =>
    signedMessage({ key, state, failureCode, fee: null, amount, currency }, sequence, webhookSecret);
  if (isPayersChoice) {
    const lists = Object.entries(payerChoices).map(([decision, { state, failureCode }]) => [
      decision,
      [signed(state, 1, failureCode)],
    ]);
    return { ...noCallbacks, callbacks_json: JSON.stringify(Object.fromEntries(lists)) };
  }
  const list = (callbacks ?? []).map(({ state, sequence }) =>
    signed(state, sequence, isFailure(state) ? (failure ?? 'card_declined') : null),
  );
  return { callbacks_json: JSON.stringify(list), callback_due_ms: dueMs, callback_trouble: null };
}

const noCallbacks: Callbacks = { callbacks_json: null, callback_due_ms: null, callback_trouble: null };

const isFailure = (state: MessageState) => state === 'FAILED' || state === 'ATTEMPT_FAILED';
