import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { decimalOf } from '../../../core/money.ts';
import type { OperationKind } from '../operations/states.ts';
import { type FailureCode, failureCodes } from '../providers/failures.ts';
import type { PaymentRow } from '../transactions/record.ts';
import type { TransactionStatus } from '../transactions/states.ts';
import type { timelineStep } from './schema.ts';
import type { OperationRecord, RefundRecord } from './statements.ts';

export type Step = Static<typeof timelineStep>;

export interface PlacedStep extends Step {
  /** Orders the steps of one operation within a millisecond. */
  rank: number;
  /** The status that the step gives the payment, if the transition table allows it at that point. */
  to?: TransactionStatus;
  /** A refund that had succeeded has failed: the payment stays REFUNDED as long as another refund stands. */
  isReversal?: boolean;
}

export const ranks = { requested: 0, called: 1, message: 2, ended: 3, contradicted: 4, lookedUp: 5, closed: 6 };

export function creationStep(payment: PaymentRow): PlacedStep {
  const { created_at, user_id, amount, currency, channel_id, provider } = payment;
  return {
    time: created_at,
    type: 'created',
    message: `User ${user_id} created the payment of ${decimalOf(amount, currency)} ${currency}.`,
    status: 'PENDING',
    channelId: channel_id,
    ...(provider !== null && { provider }),
    detail: { userId: user_id, amount, currency },
    rank: ranks.requested,
  };
}

export interface OperationContext {
  /** Another charge was tried after this one. */
  hasNextCharge: boolean;
  /** When a refund that had succeeded failed. */
  reversedAt: string | null;
  currency: string;
  /** The capture or the release that ended an authorized charge; undefined: none did. */
  lastCapture: OperationRecord | undefined;
}

/** An operation that waits to be sent; or its call and its end, as far as they have happened. */
export function stepsOfOperation(row: OperationRecord, context: OperationContext): PlacedStep[] {
  const { currency, lastCapture } = context;
  const { number, kind, refund_id, capture_id, channel_id, provider, authorized_at } = row;
  const endsWithAnother = authorized_at !== null && lastCapture !== undefined;
  const common = {
    channelId: channel_id,
    operation: number,
    provider,
    ...(refund_id !== null && { refundId: publicId('ref', refund_id) }),
    ...(capture_id !== null && { captureId: publicId('cap', capture_id) }),
  };
  const money = `${decimalOf(row.amount, currency)} ${currency}`;
  if (row.state === 'READY') {
    const message = `${subjects[kind]} waits to be sent to ${provider}.`;
    const type = `${kind.toLowerCase()}_waiting`;
    const detail = { amount: row.amount, currency };
    return [{ time: row.created_at, type, message, ...common, detail, rank: ranks.requested }];
  }
  return [
    ...(row.called_at === null || wasNotCalled(row) ? [] : [callStep(row, row.called_at, money)]),
    ...(authorized_at === null ? [] : [authorizedStep(row, authorized_at, money)]),
    ...(row.finished_at === null || endsWithAnother ? [] : endSteps(row, row.finished_at, money, context)),
  ].map((step) => ({ ...common, ...step, detail: { amount: row.amount, currency, ...step.detail } }));
}

const subjects: Record<OperationKind, string> = {
  CHARGE: 'The charge',
  REFUND: 'The refund',
  CANCEL: 'The request to cancel the charge',
  CAPTURE: 'The capture',
  RELEASE: 'The release of what was not captured',
};

/** Whether the operation was claimed, and then settled without a call. */
function wasNotCalled({ settled_by, calls, look_ups }: OperationRecord): boolean {
  return settled_by === 'nothing' && calls + look_ups === 0;
}

function callStep(row: OperationRecord, time: string, money: string): PlacedStep {
  const { kind, provider, state, calls, look_ups, due_at, is_given_up } = row;
  const isOpen = state === 'UNKNOWN' || state === 'WAITING';
  return {
    time,
    type: `${kind.toLowerCase()}_called`,
    message:
      kind === 'RELEASE'
        ? `${provider} was asked to release ${money}.`
        : kind === 'CANCEL'
          ? `${is_given_up ? 'The payer did not finish in time: ' : ''}${provider} was asked to cancel the charge.`
          : `${subjects[kind]} of ${money} was sent to ${provider}.`,
    detail: {
      ...(kind === 'CANCEL' && is_given_up && { isGivenUp: true }),
      ...(isOpen && { state, calls, lookUps: look_ups, nextLookUpTime: due_at }),
    },
    rank: ranks.called,
    ...(kind === 'CHARGE' && { to: 'PROCESSING' }),
  };
}

function authorizedStep({ kind, provider }: OperationRecord, time: string, money: string): PlacedStep {
  const message = `${provider} authorized ${money}, to be captured.`;
  return { time, type: `${kind.toLowerCase()}_authorized`, message, rank: ranks.message };
}

/** A reversed refund ended twice. The row still has the time of its success, but not how the success became known. */
function endSteps(row: OperationRecord, finishedAt: string, money: string, context: OperationContext): PlacedStep[] {
  const { hasNextCharge, reversedAt, lastCapture } = context;
  if (row === lastCapture) return [{ ...endStep(row, finishedAt, money, hasNextCharge), to: 'SUCCESS' }];
  if (reversedAt === null) return [endStep(row, finishedAt, money, hasNextCharge)];
  const success = { ...row, state: 'SUCCEEDED', settled_by: null, failure_code: null, provider_code: null } as const;
  return [
    endStep(success, finishedAt, money, hasNextCharge),
    { ...endStep(row, reversedAt, money, hasNextCharge), to: 'SUCCESS', isReversal: true },
  ];
}

function endStep(row: OperationRecord, time: string, money: string, hasNextCharge: boolean): PlacedStep {
  const { kind, state, settled_by, reference, failure_code, provider_code, calls, look_ups } = row;
  const to = hasNextCharge && state === 'FAILED' ? undefined : statusAfterEnd(row);
  return {
    time,
    type: `${kind.toLowerCase()}_${state.toLowerCase()}`,
    message: `${endMessage(row, money)}${settled_by === null ? '' : sourceMessages[settled_by]}`,
    ...(reference !== null && { reference }),
    ...(failure_code !== null && failureOf(failure_code)),
    ...(provider_code !== null && { providerCode: provider_code }),
    detail: {
      ...(row.authorized_at !== null && { isAuthorized: true }),
      ...(settled_by !== null && { settledBy: settled_by, calls, lookUps: look_ups }),
    },
    rank: ranks.ended,
    ...(to !== undefined && { to }),
  };
}

function failureOf(failureCode: FailureCode): Pick<Step, 'failureCode' | 'fallback' | 'retry'> {
  const { fallback, retry } = failureCodes[failureCode];
  return { failureCode, fallback, retry };
}

const sourceMessages = {
  answer: '',
  look_up: ' A look-up showed this.',
  callback: ' A callback reported this.',
  nothing: '',
  user: ' A user found this at the provider.',
};

/** The status that the end of an operation gives its payment. */
const statusAfter: Record<OperationKind, Partial<Record<string, TransactionStatus>>> = {
  CHARGE: { SUCCEEDED: 'SUCCESS', FAILED: 'FAILED', CANCELLED: 'CANCELLED' },
  REFUND: { SUCCEEDED: 'REFUNDED' },
  CANCEL: { SUCCEEDED: 'CANCELLED' },
  // Whether one of them is the last shows the end of the charge.
  CAPTURE: {},
  RELEASE: {},
};

function statusAfterEnd({ kind, state, is_given_up }: OperationRecord): TransactionStatus | undefined {
  const to = statusAfter[kind][state];
  return to === 'CANCELLED' && is_given_up ? 'FAILED' : to;
}

function endMessage(row: OperationRecord, money: string): string {
  const { kind, provider, state, failure_code } = row;
  // The catalogue's sentence; never the text of a provider or its library, which may contain secrets.
  const reason = failure_code === null ? '' : ` ${failureCodes[failure_code]?.message ?? ''}`;
  if (state === 'FAILED' && kind === 'CHARGE' && wasNotCalled(row)) {
    return `The charge was not sent to ${provider}, which had stopped answering.`;
  }
  if (row.authorized_at !== null) {
    return state === 'SUCCEEDED' ? 'What was not captured is released.' : `The authorization has ended.${reason}`;
  }
  switch (`${kind} ${state}`) {
    case 'CHARGE SUCCEEDED':
      return `${provider} took ${money}.`;
    case 'CAPTURE SUCCEEDED':
      return `${provider} took ${money}.`;
    case 'RELEASE SUCCEEDED':
      return `${provider} released ${money}.`;
    case 'REFUND SUCCEEDED':
      return `${provider} gave ${money} back.`;
    case 'CANCEL SUCCEEDED':
      return `${provider} cancelled the charge.`;
    case 'CANCEL FAILED':
      return `The charge was not cancelled.${reason}`;
    case 'CANCEL CANCELLED':
      return 'There was nothing left to cancel.';
    default:
      return state === 'FAILED' ? `${subjects[kind]} failed.${reason}` : `${subjects[kind]} was cancelled.`;
  }
}

/** The request for a refund. Its end is a step of its operation, unless the channel has no provider. */
export function stepsOfRefund(
  { id, amount, status, user_id, origin, created_at, updated_at }: RefundRecord,
  operation: OperationRecord | undefined,
  currency: string,
): PlacedStep[] {
  const money = `${decimalOf(amount, currency)} ${currency}`;
  const refundId = publicId('ref', id);
  const request: PlacedStep = {
    time: created_at,
    type: 'refund_created',
    message:
      origin === 'PROVIDER'
        ? `The provider tells of a refund of ${money} that was not requested here.`
        : `${user_id === null ? 'Florin' : `User ${user_id}`} requested a refund of ${money}.`,
    ...(operation !== undefined && { operation: operation.number }),
    refundId,
    detail: { ...(user_id !== null && { userId: user_id }), amount, currency, origin },
    rank: ranks.requested,
  };
  if (operation !== undefined || status !== 'SUCCESS') return [request];
  const message = `The refund of ${money} was recorded.`;
  return [
    request,
    {
      time: updated_at,
      type: 'refund_succeeded',
      message,
      refundId,
      detail: { amount, currency },
      rank: ranks.ended,
      to: 'REFUNDED',
    },
  ];
}
