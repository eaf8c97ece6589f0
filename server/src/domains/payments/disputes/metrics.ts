import { type Clock, dayMs } from '../../../core/clock.ts';
import type { EventType } from '../../../core/event-types.ts';
import type { Metrics } from '../../../platform/metrics/metrics.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { countDue } from './deadline-statements.ts';
import type { DisputeRow } from './record.ts';

/** Each channel has a series for each event and mode. Disputes of further channels are counted together. */
const maximumChannels = 200;
const dueSoonMs = 3 * dayMs;

/** Called for each event about a dispute, after the commit. */
export type ObserveDispute = (row: DisputeRow, event: EventType) => void;

/** Metrics of disputes. Returns the observer of their events. */
export function disputeMetrics(metrics: Metrics, database: Queryable, clock: Clock): ObserveDispute {
  const events = metrics.counter(
    'florin_disputes_total',
    'Disputes by what has become of them on this node: created (inquiries and returned money apart, as `inquiry` and ' +
      '`returned`), won, lost or closed; by channel (the first 200; then `other`) and mode.',
    ['event', 'channel', 'livemode'],
  );
  metrics.databaseGauge(
    'florin_disputes_due',
    'Disputes of live payments that must be answered within three days.',
    async (gauge) => {
      const [row] = await database.run(countDue, [clock(), clock() + dueSoonMs]);
      gauge.set(row?.count ?? 0);
    },
  );
  const channels = new Set<number>();
  return (row, event) => {
    const name = namesOfEvents[event]?.(row);
    if (name === undefined) return;
    if (channels.size < maximumChannels) channels.add(row.channel_id);
    const channel = channels.has(row.channel_id) ? String(row.channel_id) : 'other';
    events.labels(name, channel, String(row.livemode)).inc();
  };
}

const namesOfEvents: Partial<Record<EventType, (row: DisputeRow) => string>> = {
  'dispute.created': ({ stage, reason }) =>
    reason === 'returned' ? 'returned' : stage === 'INQUIRY' ? 'inquiry' : 'created',
  'dispute.won': () => 'won',
  'dispute.lost': () => 'lost',
  'dispute.closed': () => 'closed',
};
