import type { Clock } from '../../../core/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ChannelDirectory } from '../channels/directory.ts';

export interface StatisticsDeps {
  database: Pick<Database, 'snapshot'>;
  /** Names of channels come from memory. */
  channels: Pick<ChannelDirectory, 'find'>;
  clock: Clock;
}
