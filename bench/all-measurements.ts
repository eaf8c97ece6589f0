import type { Bench, Line } from './bench.ts';
import { ceiling } from './measurements/creates/ceiling.ts';
import { fullTable } from './measurements/creates/full-table.ts';
import { noisyTenant } from './measurements/creates/noisy-tenant.ts';
import { steady } from './measurements/creates/steady.ts';
import { token } from './measurements/creates/token.ts';
import { usualWay } from './measurements/creates/usual-way.ts';
import { writing } from './measurements/creates/writing.ts';
import { flow, flowAt, flowVariants } from './measurements/flow/flow.ts';
import { flowHour } from './measurements/flow/hour.ts';
import { flowReplay } from './measurements/flow/replay.ts';
import { detail } from './measurements/node/detail.ts';
import { freshClone } from './measurements/node/fresh-clone.ts';
import { growth } from './measurements/node/growth.ts';
import { list } from './measurements/node/list.ts';
import { memory } from './measurements/node/memory.ts';
import { processes } from './measurements/node/processes.ts';
import { processing } from './measurements/node/processing.ts';
import { renewals, someRenewals } from './measurements/node/renewals.ts';
import { start } from './measurements/node/start.ts';
import { claim } from './measurements/webhooks/claim.ts';
import { commitToPost } from './measurements/webhooks/commit-to-post.ts';
import { deliveries } from './measurements/webhooks/deliveries.ts';
import { isolation } from './measurements/webhooks/isolation.ts';
import { manyEndpoints } from './measurements/webhooks/many-endpoints.ts';

/** All measurements by their names on the command line, in the order of a complete run. */
export const measurements: Record<string, (bench: Bench) => Promise<Line[]>> = {
  flow,
  'flow-variants': flowVariants,
  'flow-at': flowAt,
  'flow-replay': flowReplay,
  'flow-hour': flowHour,
  ceiling,
  'usual-way': usualWay,
  token,
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
  'fresh-clone': freshClone,
  'some-renewals': someRenewals,
  renewals,
  growth,
  writing,
};
