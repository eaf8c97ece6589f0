import type { Principal } from '../../../core/principal.ts';
import type { PaymentsApp } from '../app.ts';
import { next, type TransactionStatus } from '../transactions/states.ts';
import { stepsOfDispute } from './dispute-steps.ts';
import { stepOfMessage } from './messages.ts';
import {
  findDisputeSteps,
  findDisputes,
  findMessages,
  findOperations,
  findRefunds,
  type OperationRecord,
} from './statements.ts';
import { creationStep, type PlacedStep, type Step, stepsOfOperation, stepsOfRefund } from './steps.ts';

/** The maximum of steps besides the creation. If there are more, one of type `omitted` replaces the oldest. */
export const maximumSteps = 1_000;

/**
 * The timeline of a payment, oldest step first, built from the rows of the payment, its operations, its refunds and its
 * timeline messages. Only facts that no other row contains are stored as messages.
 */
export async function readTimeline(
  publicId: string,
  principal: Principal,
  {
    database,
    payments,
    channels,
  }: Pick<PaymentsApp, 'database' | 'channels'> & { payments: Pick<PaymentsApp['payments'], 'find'> },
): Promise<Step[]> {
  const payment = await payments.find(publicId, principal);
  const values = [payment.tenant_id, payment.id, maximumSteps + 1];
  const { operations, refunds, messages, disputes, disputeSteps } = await database.snapshot(async (snapshot) => ({
    operations: await snapshot.run(findOperations, values),
    refunds: await snapshot.run(findRefunds, values),
    messages: await snapshot.run(findMessages, values),
    disputes: await snapshot.run(findDisputes, values),
    disputeSteps: await snapshot.run(findDisputeSteps, values),
  }));
  const lastCharge = operations.find(({ kind }) => kind === 'CHARGE')?.number;
  const byNumber = new Map(operations.map((row) => [row.number, row]));
  const byRefund = new Map(operations.map((row) => [row.refund_id, row]));
  const reversedAt = new Map(refunds.map(({ id, reversed_at }) => [id, reversed_at]));
  const lastCapture = lastCaptureOf(operations);
  const steps = [
    ...operations.flatMap((row) =>
      stepsOfOperation(row, {
        hasNextCharge: row.number !== lastCharge,
        reversedAt: reversedAt.get(row.refund_id ?? '') ?? null,
        currency: payment.currency,
        lastCapture,
      }),
    ),
    ...refunds.flatMap((refund) => stepsOfRefund(refund, byRefund.get(refund.id), payment.currency)),
    ...disputes.flatMap((row) => stepsOfDispute(row, disputeSteps)),
    ...messages.map((row) => stepOfMessage(row, row.operation === null ? undefined : byNumber.get(row.operation))),
  ].sort(byTime);
  const selected = [creationStep(payment), ...newest(withStatuses(steps))];
  return Promise.all(selected.map((step) => formatStep(step, channels)));
}

/** A capture or a release ends the charge in its own statement, and so at its own time. */
function lastCaptureOf(operations: readonly OperationRecord[]): OperationRecord | undefined {
  const charge = operations.find(({ kind, authorized_at, state }) => {
    return kind === 'CHARGE' && authorized_at !== null && state === 'SUCCEEDED';
  });
  return operations.find(({ kind, state, finished_at }) => {
    return (kind === 'CAPTURE' || kind === 'RELEASE') && state === 'SUCCEEDED' && finished_at === charge?.finished_at;
  });
}

/** Steps of the same millisecond: by operation, then by rank. */
function byTime(a: PlacedStep, b: PlacedStep): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return (a.operation ?? 0) - (b.operation ?? 0) || a.rank - b.rank;
}

/** Adds the status to each step that changed it, by applying the steps to the transition table in order. */
function withStatuses(steps: readonly PlacedStep[]): PlacedStep[] {
  let status: TransactionStatus = 'PENDING';
  let refunds = 0;
  return steps.map((step) => {
    if (step.isReversal) refunds--;
    const to = step.isReversal && refunds > 0 ? 'REFUNDED' : step.to;
    if (to === undefined || !next[status].includes(to)) return step;
    if (to === 'REFUNDED' && !step.isReversal) refunds++;
    status = to;
    return { ...step, status };
  });
}

function newest(steps: readonly PlacedStep[]): readonly PlacedStep[] {
  if (steps.length <= maximumSteps) return steps;
  const selected = steps.slice(1 - maximumSteps);
  return [omission((selected[0] as PlacedStep).time, maximumSteps - 1), ...selected];
}

/** The step that replaces the oldest ones. `time`: that of the first of the `shown` that follow. */
export function omission(time: string, shown: number): PlacedStep {
  const message = `Older steps are left out here; the newest ${shown} follow.`;
  return { time, type: 'omitted', message, detail: { shown }, rank: 0 };
}

/** Puts the fields into the documented order, adds the name of the channel, and drops the rank and absent fields. */
async function formatStep(step: PlacedStep, channels: PaymentsApp['channels']): Promise<Step> {
  const { time, type, message, status, channelId, operation, provider, reference, ...others } = step;
  const { failureCode, fallback, retry, providerCode, refundId, captureId, disputeId, detail } = others;
  const channel = channelId === undefined ? undefined : await channels.find(channelId);
  return withoutUndefined({
    time,
    type,
    message,
    status,
    channelId,
    channelName: channel?.name,
    operation,
    provider,
    reference,
    failureCode,
    fallback,
    retry,
    providerCode,
    refundId,
    captureId,
    disputeId,
    detail,
  });
}

function withoutUndefined(step: { [Field in keyof Step]: Step[Field] | undefined }): Step {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as unknown as Step;
}
