import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { PlanRow } from '../plans/statements.ts';
import type { Payer } from './statements.ts';

/**
 * The channel of a subscription without its own: the plan's, the customer's, or that of the customer's default method.
 * Refused when none has one.
 */
export function defaultChannelOf(
  plan: Pick<PlanRow, 'channel_id'>,
  payer: Pick<Payer, 'default_channel_id' | 'method_channel_id'>,
): number {
  const channelId = plan.channel_id ?? payer.default_channel_id ?? payer.method_channel_id;
  if (channelId !== null) return channelId;
  throw invalid('channelId', rule('channel_needed_of_plan'));
}
