import { Type } from 'typebox';
import { visibleModes } from '../../../core/livemode.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import { postOnce } from '../../../platform/http/idempotency.ts';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { advanceClock } from './advance.ts';
import { type ClockDeps, createClock } from './create.ts';
import { readClock } from './read.ts';
import { recordOf } from './record.ts';
import { requireTestClocksOffered } from './rules.ts';
import { clockAdvance, clockInput, clockListQuery, clockQuery, clockRecord } from './schema.ts';
import { countClocks, listClocks } from './statements.ts';

export function clockRoutes(deps: ClockDeps): Route[] {
  return [
    postOnce('/api/clock/create', 'subscription_write', 'Clocks', {
      summary: 'Create a test clock',
      description: 'Only in STANDALONE mode. Customers that name the clock use its time instead of the real time.',
      body: clockInput,
      refuses: ['clocks_not_offered'],
      data: clockRecord,
      message: 'Clock created',
      perform: ({ body, principal }, key) => createClock(body, principal, deps, key),
    }),

    post('/api/clock/advance', 'subscription_write', 'Clocks', {
      summary: 'Advance a test clock',
      description:
        'Moves the clock forward by up to ten years. All work that becomes due is done in order, including payments. Responds ' +
        'when the clock has arrived, or after 15 seconds while it is still `ADVANCING`; then poll `/api/clock/detail`.',
      body: clockAdvance,
      refuses: ['clocks_not_offered', 'clock_under_way'],
      data: clockRecord,
      handle: async ({ body, principal }) => ({
        message: 'Clock advanced',
        data: recordOf(await advanceClock(body, principal, deps)),
      }),
    }),

    get('/api/clock/detail', 'subscription_read', 'Clocks', {
      summary: 'Get a test clock',
      query: clockQuery,
      data: clockRecord,
      handle: async ({ query, principal }) => {
        requireTestClocksOffered(deps);
        return { data: recordOf(await readClock(query.id, principal, deps.database)) };
      },
    }),

    get('/api/clock/list', 'subscription_read', 'Clocks', {
      summary: 'List test clocks',
      description: 'Newest first.',
      query: clockListQuery,
      data: Type.Array(clockRecord),
      paged: true,
      handle: async ({ principal, query }) => {
        requireTestClocksOffered(deps);
        const { page = 1, pageSize = defaultPageSize } = query;
        const modes = visibleModes(principal, query.livemode, { namesRecord: true });
        const filters = [await visibleTenants(deps.database, principal), modes];
        const [rows, [count]] = await Promise.all([
          deps.database.run(listClocks, [...filters, (page - 1) * pageSize, pageSize]),
          deps.database.run(countClocks, filters),
        ]);
        return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
      },
    }),
  ];
}
