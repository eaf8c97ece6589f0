import { Type } from 'typebox';
import { visibleModes } from '../../../core/livemode.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import type { BillingApp } from '../app.ts';
import { advanceClock } from './advance.ts';
import { createClock } from './create.ts';
import { readClock } from './read.ts';
import { recordOf } from './record.ts';
import { requireTestClocksOffered } from './rules.ts';
import { clockAdvance, clockInput, clockListQuery, clockQuery, clockRecord } from './schema.ts';
import { countClocks, listClocks } from './statements.ts';

const { get, post, postOnce } = routesFor<BillingApp>();

export const clockRoutes: readonly Route<BillingApp>[] = [
  postOnce('/api/clock/create', 'subscription_write', 'Clocks', {
    summary: 'Create a test clock',
    description: 'Only in STANDALONE mode. Customers that name the clock use its time instead of the real time.',
    body: clockInput,
    refuses: ['clocks_not_offered'],
    data: clockRecord,
    message: 'Clock created',
    handle: createClock,
  }),

  post('/api/clock/advance', 'subscription_write', 'Clocks', {
    summary: 'Advance a test clock',
    description:
      'Moves the clock forward by up to ten years. All work that becomes due is done in order, ' +
      'including payments. Responds when the clock has arrived, or after 15 seconds while it is still ' +
      '`ADVANCING`; then poll `/api/clock/detail`.',
    body: clockAdvance,
    refuses: ['clocks_not_offered', 'clock_under_way'],
    data: clockRecord,
    message: 'Clock advanced',
    handle: async (call, app) => ({ data: recordOf(await advanceClock(call, app)) }),
  }),

  get('/api/clock/detail', 'subscription_read', 'Clocks', {
    summary: 'Get a test clock',
    query: clockQuery,
    data: clockRecord,
    handle: async ({ query, principal }, app) => {
      requireTestClocksOffered(app);
      return { data: recordOf(await readClock(query.id, principal, app.database)) };
    },
  }),

  get('/api/clock/list', 'subscription_read', 'Clocks', {
    summary: 'List test clocks',
    description: 'Newest first.',
    query: clockListQuery,
    data: Type.Array(clockRecord),
    paged: true,
    handle: async ({ principal, query }, app) => {
      requireTestClocksOffered(app);
      const { page = 1, pageSize = defaultPageSize } = query;
      const modes = visibleModes(principal, query.livemode, { namesRecord: true });
      const filters = [await visibleTenants(app.database, principal), modes];
      const [rows, [count]] = await Promise.all([
        app.database.run(listClocks, [...filters, (page - 1) * pageSize, pageSize]),
        app.database.run(countClocks, filters),
      ]);
      return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
    },
  }),
];
