import { publicId } from '../../../core/id.ts';
import { decimalOf } from '../../../core/money.ts';
import { failureCodes } from '../providers/failures.ts';
import type { DisputeOfTimeline, DisputeStepRecord } from './statements.ts';
import { type PlacedStep, ranks } from './steps.ts';

/** A dispute: how it began, its funds, the answers to it, and what the provider has decided. */
export function stepsOfDispute(row: DisputeOfTimeline, further: readonly DisputeStepRecord[]): PlacedStep[] {
  const { id, channel_id, provider, created_at, closed_at, status, reference } = row;
  const { amount, currency, reason, stage } = row;
  const common = { channelId: channel_id, provider, disputeId: publicId('dsp', id) };
  const began: PlacedStep = {
    time: created_at,
    type: 'dispute_created',
    message: beginning(row),
    reference,
    detail: { amount, currency, reason, stage },
    rank: ranks.requested,
  };
  const decided: PlacedStep[] =
    closed_at === null
      ? []
      : [
          {
            time: closed_at,
            type: `dispute_${status.toLowerCase()}`,
            message: decisions[status] ?? '',
            rank: ranks.closed,
          },
        ];
  const steps = further.filter((step) => step.dispute_id === id).map((step) => furtherStep(step, provider));
  return [began, ...steps, ...decided].map((step) => ({ ...common, ...step }));
}

function beginning({ provider, amount, currency, reason, stage }: DisputeOfTimeline): string {
  const money = `${decimalOf(amount, currency)} ${currency}`;
  if (reason === 'returned') return `${money} came back to the payer, as ${provider} reports.`;
  if (stage === 'INQUIRY') return `The payer's bank inquires about ${money} (${reason}).`;
  return `The payer disputes ${money} (${reason}).`;
}

const decisions: Partial<Record<DisputeOfTimeline['status'], string>> = {
  WON: 'The dispute is won.',
  LOST: 'The dispute is lost.',
  CLOSED: 'The dispute is closed.',
};

function furtherStep({ at, kind, amount, currency, failure_code }: DisputeStepRecord, provider: string): PlacedStep {
  const money = amount === null || currency === null ? '' : `${decimalOf(amount, currency)} ${currency}`;
  const moved = { time: at, rank: ranks.message, detail: { amount, currency } };
  if (kind === 'WITHDRAWN') {
    return { ...moved, type: 'dispute_funds_withdrawn', message: `${provider} withdrew ${money} for the dispute.` };
  }
  if (kind === 'REINSTATED') {
    return { ...moved, type: 'dispute_funds_reinstated', message: `${provider} gave ${money} of the dispute back.` };
  }
  const step = { time: at, rank: ranks.ended };
  const what = kind === 'SUBMIT' ? 'The evidence' : 'The acceptance of the dispute';
  if (failure_code === null) {
    const type = kind === 'SUBMIT' ? 'dispute_submitted' : 'dispute_accepted';
    return { ...step, type, message: `${what} was sent to ${provider}.` };
  }
  const type = kind === 'SUBMIT' ? 'dispute_submit_failed' : 'dispute_accept_failed';
  const message = `${provider} refused it: ${failureCodes[failure_code]?.message ?? ''}`;
  return { ...step, type, message, failureCode: failure_code };
}
