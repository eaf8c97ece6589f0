import type { Bench, Line } from '../bench.ts';
import { ceiling } from './ceiling.ts';
import { claim } from './claim.ts';
import { commitToPost } from './commit-to-post.ts';
import { deliveries } from './deliveries.ts';
import { detail } from './detail.ts';
import { fanOut } from './fan-out.ts';
import { fullTable } from './full-table.ts';
import { isolation } from './isolation.ts';
import { list } from './list.ts';
import { manyEndpoints } from './many-endpoints.ts';
import { memory } from './memory.ts';
import { noisyTenant } from './noisy-tenant.ts';
import { processes } from './processes.ts';
import { processing } from './processing.ts';
import { renewals, someRenewals } from './renewals.ts';
import { start } from './start.ts';
import { steady } from './steady.ts';
import { subscribed } from './subscribed.ts';
import { token } from './token.ts';
import { usualWay } from './usual-way.ts';

/** All measurements by their names on the command line, in the order of a complete run. */
export const measurements: Record<string, (bench: Bench) => Promise<Line[]>> = {
  ceiling,
  'usual-way': usualWay,
  token,
  subscribed,
  'fan-out': fanOut,
  steady,
  'noisy-tenant': noisyTenant,
  processing,
  processes,
  detail,
  deliveries,
  'commit-to-post': commitToPost,
  isolation,
  'many-endpoints': manyEndpoints,
  list,
  'full-table': fullTable,
  claim,
  memory,
  start,
  'some-renewals': someRenewals,
  renewals,
};
