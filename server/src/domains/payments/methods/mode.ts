import { publicId } from '../../../core/id.ts';
import type { Log } from '../../../platform/process/log.ts';
import type { NamedMode } from '../providers/outcome.ts';
import type { MethodRow } from './record.ts';

/** What a report of a provider is about: a channel, and one of its methods if it is known. */
export type Reported = Pick<MethodRow, 'channel_id' | 'provider' | 'livemode'> & Partial<Pick<MethodRow, 'id'>>;

/** Warns of reports of the other mode. */
export interface ModeReports {
  onOtherMode: (about: Reported, named: boolean) => void;
}

/**
 * Whether a provider names the other mode than the channel's, of which an operator is warned: the report is about
 * something else, and changes nothing.
 */
export function isOfOtherMode(about: Reported, { livemode }: NamedMode, { onOtherMode }: ModeReports): boolean {
  if (livemode === undefined || livemode === about.livemode) return false;
  onOtherMode(about, livemode);
  return true;
}

/** Logs reports of the other mode, and counts them. */
export function modeReports(log: Pick<Log, 'warn'>, count: () => void): ModeReports {
  return {
    onOtherMode: ({ channel_id: channelId, provider, livemode, id }, named) => {
      count();
      const of = id === undefined ? {} : { paymentMethodId: publicId('mtd', id) };
      log.warn(
        { channelId, provider, ...of, livemode, named },
        'A provider names the other mode for a payment method than its channel has',
      );
    },
  };
}
