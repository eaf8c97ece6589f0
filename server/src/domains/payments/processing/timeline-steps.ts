import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { decimalOf } from '../../../core/money.ts';
import { failureCodes } from '../providers/failures.ts';
import type { TransactionRow } from '../transactions/statements.ts';
import type { TransactionStatus } from '../transactions/states.ts';
import type { timelineStep } from './schema.ts';
import type { OperationKind } from './statements.ts';
import type { OperationSteps, RefundSteps } from './timeline-statements.ts';

export type Step = Static<typeof timelineStep>;

/** A step that is still to find its place: among those of its millisecond by operation, then by rank. */
export interface PlacedStep extends Step {
  rank: number;
  /** Where it takes the payment, if the payment can still go there. */
  to?: TransactionStatus;
  /** A refund that had succeeded has failed: the payment is REFUNDED as long as another one stands. */
  isReversal?: boolean;
}

export const ranks = { asked: 0, called: 1, noted: 2, ended: 3, contradicted: 4, lookedUp: 5 };

/** The payment itself. */
export function creationOf({
  created_at,
  user_id,
  amount,
  currency,
  channel_id,
  provider,
}: TransactionRow): PlacedStep {
  return {
    time: created_at,
    type: 'created',
    message: `User ${user_id} created the payment of ${decimalOf(amount, currency)} ${currency}.`,
    status: 'PENDING',
    channelId: channel_id,
    ...(provider !== null && { provider }),
    detail: { userId: user_id },
    rank: ranks.asked,
  };
}

export interface OperationFacts {
  /** Another charge was tried after it. */
  isFollowed: boolean;
  /** When a refund that had succeeded failed. */
  reversedAt: string | null;
  currency: string;
}

/** What was asked of a provider: that it waits to be asked, or when it was, and how that ended. */
export function stepsOfOperation(
  row: OperationSteps,
  { isFollowed, reversedAt, currency }: OperationFacts,
): PlacedStep[] {
  const { number, kind, refund_id, channel_id, provider } = row;
  const common = {
    channelId: channel_id,
    operation: number,
    provider,
    ...(refund_id !== null && { refundId: publicId('ref', refund_id) }),
  };
  const money = `${decimalOf(row.amount, currency)} ${currency}`;
  const word = kind.toLowerCase();
  if (row.state === 'READY') {
    const message = `${subjects[kind]} waits to be sent to ${provider}.`;
    return [{ time: row.created_at, type: `${word}_waiting`, message, ...common, rank: ranks.asked }];
  }
  return [
    ...(row.called_at === null || wasNotCalled(row) ? [] : [callOf(row, row.called_at, money)]),
    ...(row.finished_at === null ? [] : endsOf(row, row.finished_at, reversedAt)),
  ].map((step) => ({ ...common, ...step }));

  function endsOf(ended: OperationSteps, finishedAt: string, failedAt: string | null): PlacedStep[] {
    if (failedAt === null) return [endOf(ended, finishedAt, money, isFollowed)];
    // Of the success the row has kept when it was, and not how it was learned.
    const succeeded = {
      ...ended,
      state: 'SUCCEEDED',
      settled_by: null,
      failure_code: null,
      provider_code: null,
    } as const;
    return [
      endOf(succeeded, finishedAt, money, isFollowed),
      { ...endOf(ended, failedAt, money, isFollowed), to: 'SUCCESS', isReversal: true },
    ];
  }
}

const subjects: Record<OperationKind, string> = {
  CHARGE: 'The charge',
  REFUND: 'The refund',
  CANCEL: 'The request to call the charge off',
};

/** Claimed, and then settled without the provider. */
function wasNotCalled({ settled_by, calls, look_ups }: OperationSteps): boolean {
  return settled_by === 'nothing' && calls + look_ups === 0;
}

function callOf(row: OperationSteps, time: string, money: string): PlacedStep {
  const { kind, provider, state, calls, look_ups, due_at } = row;
  const isAwaited = state === 'UNKNOWN' || state === 'WAITING';
  return {
    time,
    type: `${kind.toLowerCase()}_called`,
    message:
      kind === 'CANCEL'
        ? `${provider} was asked to call the charge off.`
        : `${subjects[kind]} of ${money} was sent to ${provider}.`,
    ...(isAwaited && { detail: { state, calls, lookUps: look_ups, nextLookUpTime: due_at } }),
    rank: ranks.called,
    ...(kind === 'CHARGE' && { to: 'PROCESSING' }),
  };
}

function endOf(row: OperationSteps, time: string, money: string, isFollowed: boolean): PlacedStep {
  const { kind, state, settled_by, reference, failure_code, provider_code, calls, look_ups } = row;
  const ends = { SUCCEEDED: 'succeeded', FAILED: 'failed', CANCELLED: 'cancelled' } as Record<string, string>;
  const to = isFollowed && state === 'FAILED' ? undefined : outcomes[kind][state as 'SUCCEEDED'];
  return {
    time,
    type: `${kind.toLowerCase()}_${ends[state]}`,
    message: `${wordsOfEnd(row, money)}${settled_by === null ? '' : waysOfKnowing[settled_by]}`,
    ...(reference !== null && { reference }),
    ...(failure_code !== null && { failureCode: failure_code }),
    ...(provider_code !== null && { providerCode: provider_code }),
    ...(settled_by !== null && { detail: { settledBy: settled_by, calls, lookUps: look_ups } }),
    rank: ranks.ended,
    ...(to !== undefined && { to }),
  };
}

const waysOfKnowing = {
  answer: '',
  look_up: ' A look-up told so.',
  callback: ' A callback told so.',
  nothing: '',
};

/** Where the end of an operation takes its payment. */
const outcomes: Record<OperationKind, Partial<Record<string, TransactionStatus>>> = {
  CHARGE: { SUCCEEDED: 'SUCCESS', FAILED: 'FAILED', CANCELLED: 'CANCELLED' },
  REFUND: { SUCCEEDED: 'REFUNDED' },
  CANCEL: { SUCCEEDED: 'CANCELLED' },
};

function wordsOfEnd(row: OperationSteps, money: string): string {
  const { kind, provider, state, failure_code } = row;
  // The catalogue's sentence: never one that a provider or its library has written.
  const why = failure_code === null ? '' : ` ${failureCodes[failure_code]?.message ?? ''}`;
  if (state === 'FAILED' && kind === 'CHARGE' && wasNotCalled(row)) {
    return `The charge was not sent to ${provider}, which had stopped answering.`;
  }
  switch (`${kind} ${state}`) {
    case 'CHARGE SUCCEEDED':
      return `${provider} took ${money}.`;
    case 'REFUND SUCCEEDED':
      return `${provider} gave ${money} back.`;
    case 'CANCEL SUCCEEDED':
      return `${provider} called the charge off.`;
    case 'CANCEL FAILED':
      return `The charge was not called off.${why}`;
    case 'CANCEL CANCELLED':
      return 'There was nothing left to call off.';
    default:
      return state === 'FAILED' ? `${subjects[kind]} failed.${why}` : `${subjects[kind]} was called off.`;
  }
}

/** A refund from the day it was asked for. What became of it is told by its operation, where it has one. */
export function stepsOfRefund(
  { id, amount, status, user_id, created_at, updated_at }: RefundSteps,
  operation: OperationSteps | undefined,
  currency: string,
): PlacedStep[] {
  const money = `${decimalOf(amount, currency)} ${currency}`;
  const refundId = publicId('ref', id);
  const asked: PlacedStep = {
    time: created_at,
    type: 'refund_created',
    message: `User ${user_id} asked for ${money} to be given back.`,
    ...(operation !== undefined && { operation: operation.number }),
    refundId,
    detail: { userId: user_id },
    rank: ranks.asked,
  };
  if (operation !== undefined || status !== 'SUCCESS') return [asked];
  const message = `${money} were recorded as given back.`;
  return [asked, { time: updated_at, type: 'refund_succeeded', message, refundId, rank: ranks.ended, to: 'REFUNDED' }];
}
