import type { Bench, Line } from './bench.ts';
import { ceiling } from './measurements/ceiling.ts';
import { claim } from './measurements/claim.ts';
import { commitToPost } from './measurements/commit-to-post.ts';
import { deliveries } from './measurements/deliveries.ts';
import { detail } from './measurements/detail.ts';
import { fanOut } from './measurements/fan-out.ts';
import { fullTable } from './measurements/full-table.ts';
import { isolation } from './measurements/isolation.ts';
import { list } from './measurements/list.ts';
import { manyEndpoints } from './measurements/many-endpoints.ts';
import { memory } from './measurements/memory.ts';
import { noisyTenant } from './measurements/noisy-tenant.ts';
import { processes } from './measurements/processes.ts';
import { processing } from './measurements/processing.ts';
import { renewals, someRenewals } from './measurements/renewals.ts';
import { start } from './measurements/start.ts';
import { steady } from './measurements/steady.ts';
import { subscribed } from './measurements/subscribed.ts';
import { token } from './measurements/token.ts';
import { usualWay } from './measurements/usual-way.ts';

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
