import type { TimelineStep } from '../../../../sdk/src/generated/api.ts';

type Step = Pick<TimelineStep, 'type' | 'detail'>;

/** The key of the words that a step has: some types have several. */
export function wordsOf(step: Step): string {
  return `step.${variantOf(step) ?? step.type}`;
}

function variantOf(step: Step): string | undefined {
  const { isAuthorized, isGivenUp, settledBy, said, agrees, origin, userId, reason, stage } = factsOf(step);
  switch (step.type) {
    case 'charge_succeeded':
      return isAuthorized ? 'authorization_released' : undefined;
    case 'charge_failed':
      if (isNotSent(step)) return 'charge_not_sent';
      return isAuthorized ? 'authorization_ended' : undefined;
    case 'charge_cancelled':
      return isAuthorized ? 'authorization_ended' : undefined;
    case 'cancel_called':
      return isGivenUp ? 'cancel_called_late' : undefined;
    case 'refund_created':
      if (origin === 'PROVIDER') return 'refund_made_elsewhere';
      return userId === undefined ? 'refund_created_itself' : undefined;
    case 'refund_succeeded':
      return settledBy === undefined ? 'refund_recorded' : undefined;
    case 'callback':
      return typeof said !== 'string' || said === 'changed' ? 'callback_changed' : undefined;
    case 'looked_up':
      return agrees ? 'looked_up_agrees' : undefined;
    case 'dispute_created':
      if (reason === 'returned') return 'money_returned';
      return stage === 'INQUIRY' ? 'inquiry_created' : undefined;
  }
}

/** An operation that was settled without a call. */
export function isNotSent(step: Step): boolean {
  const { settledBy, calls, lookUps } = factsOf(step);
  return settledBy === 'nothing' && calls === 0 && lookUps === 0;
}

const factsOf = ({ detail }: Step) => (detail ?? {}) as Readonly<Record<string, unknown>>;
