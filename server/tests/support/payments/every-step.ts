import type { OperationKind, OperationState, SettledBy } from '../../../src/domains/payments/operations/states.ts';
import { disputeReasons, disputeStages, disputeStatuses } from '../../../src/domains/payments/providers/dispute.ts';
import type { Outcome } from '../../../src/domains/payments/providers/outcome.ts';
import { refundStatuses } from '../../../src/domains/payments/refunds/states.ts';
import { stepsOfDispute } from '../../../src/domains/payments/timeline/dispute-steps.ts';
import { messageTexts, stepOfMessage } from '../../../src/domains/payments/timeline/messages.ts';
import { omission } from '../../../src/domains/payments/timeline/read.ts';
import type {
  DisputeOfTimeline,
  DisputeStepRecord,
  OperationRecord,
  RefundRecord,
} from '../../../src/domains/payments/timeline/statements.ts';
import {
  creationStep,
  type Step,
  stepsOfOperation,
  stepsOfRefund,
} from '../../../src/domains/payments/timeline/steps.ts';
import type { PaymentRow } from '../../../src/domains/payments/transactions/record.ts';
import { transactionStatuses } from '../../../src/domains/payments/transactions/states.ts';
import type { TimelineMessageKind } from '../../../src/domains/payments/transactions/timeline-message-statements.ts';

const at = '2026-11-21T12:00:00.000Z';
const later = '2026-11-21T12:00:01.000Z';
const id = '01a21e1b-d52c-7000-a0d0-1f996bba34c3';

const kinds = keysOf<OperationKind>({ CHARGE: 1, REFUND: 1, CANCEL: 1, CAPTURE: 1, RELEASE: 1 });
const states = keysOf<OperationState>({
  ...{ READY: 1, CALLING: 1, UNKNOWN: 1, WAITING: 1 },
  ...{ SUCCEEDED: 1, FAILED: 1, CANCELLED: 1 },
});
const sources = keysOf<SettledBy>({ answer: 1, look_up: 1, callback: 1, nothing: 1, user: 1 });
/** What a message can say that a provider reported. */
export const reports = keysOf<Outcome['kind'] | 'absent' | 'changed'>({
  ...{ succeeded: 1, authorized: 1, failed: 1, cancelled: 1, pending: 1, needs_payer: 1 },
  ...{ rate_limited: 1, unknown: 1, absent: 1, changed: 1 },
});

/** Steps of every kind that a timeline can show, in every variant that has words of its own. */
export function everyStep(): Step[] {
  const operations = operationRecords();
  return [
    creationStep({ created_at: at, user_id: 7, amount: 1999, currency: 'USD', provider: 'stripe' } as PaymentRow),
    omission(at, 999),
    ...operations.flatMap((row) =>
      [undefined, row].flatMap((lastCapture) =>
        [null, later].flatMap((reversedAt) =>
          stepsOfOperation(row, { hasNextCharge: false, reversedAt, currency: 'USD', lastCapture }),
        ),
      ),
    ),
    ...refundRecords().flatMap((row) => stepsOfRefund(row, undefined, 'USD')),
    ...disputeRecords().flatMap((row) => stepsOfDispute(row, disputeSteps())),
    ...(Object.keys(messageTexts) as TimelineMessageKind[]).flatMap((kind) =>
      [undefined, ...operations].flatMap((row) =>
        messageDetails(kind).map((detail) =>
          stepOfMessage({ at, kind, operation: row === undefined ? null : row.number, detail }, row),
        ),
      ),
    ),
  ];
}

function operationRecords(): OperationRecord[] {
  return kinds.flatMap((kind) =>
    states.flatMap((state) =>
      (isOpen(state) ? [null] : sources).flatMap((settledBy) =>
        [null, at].flatMap((authorizedAt) =>
          [false, true].map((isGivenUp) => operationRecord(kind, state, settledBy, authorizedAt, isGivenUp)),
        ),
      ),
    ),
  );
}

const isOpen = (state: OperationState) => !['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(state);

function operationRecord(
  kind: OperationKind,
  state: OperationState,
  settledBy: SettledBy | null,
  authorizedAt: string | null,
  isGivenUp: boolean,
): OperationRecord {
  return {
    number: 1,
    kind,
    refund_id: null,
    capture_id: null,
    channel_id: 1,
    provider: 'stripe',
    amount: 1999,
    state,
    calls: settledBy === 'nothing' ? 0 : 1,
    look_ups: 0,
    reference: null,
    failure_code: state === 'FAILED' ? 'card_declined' : null,
    provider_code: null,
    settled_by: settledBy,
    due_at: later,
    created_at: at,
    called_at: state === 'READY' ? null : at,
    finished_at: isOpen(state) ? null : later,
    is_given_up: isGivenUp,
    authorized_at: kind === 'CHARGE' ? authorizedAt : null,
  };
}

function refundRecords(): RefundRecord[] {
  return refundStatuses.flatMap((status) =>
    (
      [
        [7, null],
        [null, null],
        [null, 'PROVIDER'],
      ] as const
    ).map(([userId, origin]) => ({
      id,
      amount: 500,
      status,
      user_id: userId,
      origin,
      created_at: at,
      updated_at: later,
      reversed_at: null,
    })),
  );
}

function disputeRecords(): DisputeOfTimeline[] {
  return disputeStages.flatMap((stage) =>
    disputeStatuses.flatMap((status) =>
      disputeReasons.map((reason) => ({
        id,
        channel_id: 1,
        provider: 'stripe',
        stage,
        status,
        amount: 1999,
        currency: 'USD',
        reason,
        reference: 'dp_1',
        created_at: at,
        closed_at: ['WON', 'LOST', 'CLOSED'].includes(status) ? later : null,
      })),
    ),
  );
}

function disputeSteps(): DisputeStepRecord[] {
  const moved = (['WITHDRAWN', 'REINSTATED'] as const).map((kind) => ({ kind, amount: 1999, currency: 'USD' }));
  const answered = (['SUBMIT', 'ACCEPT'] as const).map((kind) => ({ kind, amount: null, currency: null }));
  return [...moved, ...answered].flatMap((step) =>
    ([null, 'invalid_operation'] as const)
      .filter((failureCode) => failureCode === null || step.amount === null)
      .map((failureCode) => ({ ...step, dispute_id: id, at, failure_code: failureCode })),
  );
}

function messageDetails(kind: TimelineMessageKind): Record<string, unknown>[] {
  if (kind === 'updated') return transactionStatuses.map((to) => ({ from: 'PENDING', to, userId: 7 }));
  const who = { userId: 7, note: 'Told by the provider.' };
  return reports.flatMap((said) => [true, false].map((flag) => ({ ...who, said, agrees: flag, livemode: flag })));
}

function keysOf<Key extends string>(keys: Record<Key, 1>): Key[] {
  return Object.keys(keys) as Key[];
}
