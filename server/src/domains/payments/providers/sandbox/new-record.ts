import { dayMs } from '../../../../core/clock.ts';
import type { FailureCode } from '../failures.ts';
import type {
  Call,
  CancelOperation,
  CaptureOperation,
  ChargeOperation,
  Operation,
  RefundOperation,
  ReleaseOperation,
} from '../provider.ts';
import type { Behaviour } from './behaviour.ts';
import { laterWordOf, succeed } from './behaviours.ts';
import { disputeReferenceOf } from './dispute-script.ts';
import {
  keyOfReference,
  type MessageState,
  referenceOf,
  type SignedMessage,
  signedDisputeMessage,
  signedMessage,
} from './messages.ts';
import type { NewOperationRecord, OperationState } from './statements.ts';

/** The payer's choices on the sandbox's page, and their results. */
export const payerChoices = {
  pay: { state: 'SUCCEEDED', failureCode: null },
  fail: { state: 'FAILED', failureCode: 'authentication_failed' },
  cancel: { state: 'CANCELLED', failureCode: null },
} as const satisfies Record<string, { state: MessageState & OperationState; failureCode: FailureCode | null }>;

export type PayerChoice = keyof typeof payerChoices;

/** How long an authorization lasts, as at many providers. */
const authorizedForMs = 7 * dayMs;

/** What has behaviours. */
export type BehavingOperation = ChargeOperation | RefundOperation | CaptureOperation | ReleaseOperation;

interface Times {
  nowMs: number;
  /** `app.sandbox.delay`. */
  delayMs: number;
}

/** The record of an operation at its first call. */
export function newOperationRecord(
  operation: BehavingOperation,
  behaviour: Behaviour,
  call: Call,
  { nowMs, delayMs }: Times,
): NewOperationRecord {
  const lateMs = nowMs + delayMs;
  const settlesMs = behaviour.isLate ? lateMs : null;
  const returnsMs = behaviour.isReturnedLater ? lateMs : null;
  const disputedMs = behaviour.disputeCallbacks === undefined ? null : lateMs;
  const warnedMs = behaviour.warnsOfFraud ? lateMs : null;
  const expiresMs = isManual(operation) ? (behaviour.expiresSoon ? lateMs : nowMs + authorizedForMs) : null;
  const toldMs = settlesMs ?? returnsMs ?? disputedMs ?? warnedMs ?? expiresMs;
  return {
    ...defaultRecord(operation, call, nowMs),
    ...(expiresMs !== null && { captured: 0, expires_ms: expiresMs }),
    state: initialState(operation, behaviour),
    behaviour: behaviour === succeed ? (laterWordOf(operation) ?? null) : behaviour.word,
    failure_code: returnsMs === null ? (behaviour.failure ?? null) : null,
    fee: behaviour.fee ?? null,
    settles_ms: settlesMs,
    returns_ms: returnsMs,
    disputed_ms: disputedMs,
    lookups_left: behaviour.succeedsAtLookUp ?? null,
    charge_key: 'chargeReference' in operation ? keyOfReference(operation.chargeReference) : null,
    is_final: operation.kind === 'CAPTURE' ? operation.isFinal : null,
    ...(behaviour.finalState === 'UNDECIDED' && operation.kind === 'CHARGE' && shownToPayer(operation)),
    ...callbacksOf(operation, behaviour, call, { dueMs: toldMs, delayMs }),
  };
}

const isManual = (operation: Operation) => operation.kind === 'CHARGE' && operation.captureMethod === 'MANUAL';

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
    disputed_ms: null,
    lookups_left: null,
    charge_key: null,
    return_url: null,
    statement_descriptor: null,
    customer: null,
    captured: null,
    is_final: null,
    expires_ms: null,
    callbacks_json: null,
    callback_due_ms: null,
    callback_trouble: null,
    created_ms: nowMs,
  };
}

/** A refund, capture or release that should succeed is UNTAKEN until its charge has been checked. */
function initialState(operation: BehavingOperation, { finalState, effectiveCall }: Behaviour): OperationState {
  if (effectiveCall !== undefined) return 'UNTAKEN';
  if (operation.kind !== 'CHARGE') return operation.kind === 'RELEASE' ? 'UNTAKEN' : (finalState ?? 'UNTAKEN');
  return finalState ?? (isManual(operation) ? 'AUTHORIZED' : 'SUCCEEDED');
}

type Callbacks = Pick<NewOperationRecord, 'callbacks_json' | 'callback_due_ms' | 'callback_trouble'>;

function callbacksOf(
  operation: Operation,
  {
    finalState,
    callbacks: described,
    failure,
    expiresSoon = false,
    disputeCallbacks = 0,
    warnsOfFraud = false,
  }: Behaviour,
  { credentials: { webhookSecret } }: Call,
  { dueMs, delayMs }: { dueMs: number | null; delayMs: number },
): Callbacks {
  const isPayersChoice = finalState === 'UNDECIDED';
  const isEnd = expiresSoon && isManual(operation);
  const callbacks = isEnd ? [{ state: 'CANCELLED', sequence: 1 } as const] : described;
  const isDispute = disputeCallbacks > 0 || warnsOfFraud;
  if (callbacks === undefined && !isPayersChoice && !isDispute) return noCallbacks;
  if (webhookSecret === null || webhookSecret === '') return { ...noCallbacks, callback_trouble: 'no_secret' };
  if (isDispute) {
    const times = { dueMs: dueMs as number, delayMs };
    const list = disputeMessages(operation, disputeCallbacks, webhookSecret, times);
    return { callbacks_json: JSON.stringify(list), callback_due_ms: dueMs, callback_trouble: null };
  }
  const { key, amount, currency } = operation;
  const signed = (state: MessageState, sequence: number, failureCode: FailureCode | null): SignedMessage => {
    const reported = state === 'SUCCEEDED' && isManual(operation) ? 'AUTHORIZED' : state;
    return signedMessage({ key, state: reported, failureCode, fee: null, amount, currency }, sequence, webhookSecret);
  };
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

/** None of them says more than that something has changed; without any, it is a warning of fraud. */
function disputeMessages(
  operation: Operation,
  count: number,
  secret: string,
  { dueMs, delayMs }: { dueMs: number; delayMs: number },
): SignedMessage[] {
  const { key } = operation;
  const chargeReference = 'chargeReference' in operation ? (operation.chargeReference ?? '') : referenceOf(key);
  if (count === 0) {
    const warning = { of: 'FRAUD_WARNING', reference: `sbx_warning_${key}`, chargeReference, sequence: 1 } as const;
    return [signedDisputeMessage({ ...warning, atMs: Math.floor(dueMs) }, secret)];
  }
  const told = { of: 'DISPUTE', reference: disputeReferenceOf(key), chargeReference } as const;
  return Array.from({ length: count }, (_, i) => ({
    ...signedDisputeMessage({ ...told, sequence: i + 1 }, secret),
    afterMs: delayMs,
  }));
}

const noCallbacks: Callbacks = { callbacks_json: null, callback_due_ms: null, callback_trouble: null };

const isFailure = (state: MessageState) => state === 'FAILED' || state === 'ATTEMPT_FAILED';
