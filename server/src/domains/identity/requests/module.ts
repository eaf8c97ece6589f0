import { hourMs } from '../../../core/clock.ts';
import { leastUuidAt } from '../../../core/id.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, oneOf } from '../../../platform/settings/kinds.ts';
import { RequestRecorder, recordedRequests } from './recorder.ts';
import { type RequestDeps, requestRoutes } from './routes.ts';
import { listedRequest, requestRecord } from './schema.ts';
import { deleteExpiredRequests } from './statements.ts';

const settings = {
  'app.request-log.record': setting(oneOf(...recordedRequests), {
    default: 'all',
    description:
      'Which requests of authenticated callers the request log holds: `all`, `writes` (POST, and everything refused), ' +
      '`refused` or `none`.',
  }),
  'app.request-log.keep': setting(durationOfAtLeast(hourMs, 'an hour'), {
    default: '3d',
    description: 'How long requests are kept in the request log.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>>;

/** The request log: what the callers of a tenant sent, and how it was answered. */
export const requests = defineModule({
  name: 'requests',
  tables: ['api_request'],
  settings,
  reference: [{ name: 'Requests', description: 'What callers sent, and how it was answered.' }],
  resources: { request: requestRecord },
  schemas: { Request: requestRecord, ListedRequest: listedRequest },
  provide: ({ workerDatabase, generateUuid, metrics, lifecycle, logError, settings }: Needs) => {
    const dropped = metrics.counter(
      'florin_request_log_dropped_total',
      'Requests missing in the request log: too many in a second, or a write failed.',
    );
    const requestRecorder = new RequestRecorder({
      database: workerDatabase,
      generateUuid,
      recorded: settings['app.request-log.record'],
      onDropped: (count) => dropped.inc(count),
      logError,
    });
    lifecycle.add('request log', () => requestRecorder.flush());
    return { requestRecorder };
  },
  routes: (context: RequestDeps) => requestRoutes(context),
  retention: ({ database, settings: { 'app.request-log.keep': keepMs } }: Needs) => [
    {
      name: 'request log',
      sweep: (nowMs) => deleteInBatches(database, deleteExpiredRequests, [leastUuidAt(nowMs - keepMs)]),
    },
  ],
});
