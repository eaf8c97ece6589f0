import { Type } from 'typebox';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { advanceClock, type ClockDeps, createClock, readClock, requireTestClocksOffered } from './create.ts';
import { clockAdvance, clockInput, clockQuery, clockRecord } from './schema.ts';
import { type ClockRow, listClocks } from './statements.ts';

export function clockRoutes(deps: ClockDeps): Route[] {
  return [
    post('/api/clock/create', 'subscription_write', 'Clocks', {
      summary: 'Create a test clock',
      description: 'In STANDALONE mode alone. Customers that are attached to it live by its time.',
      body: clockInput,
      data: clockRecord,
      handle: async ({ body, principal }) => ({
        message: 'Clock created',
        data: recordOf(await createClock(body, principal, deps)),
      }),
    }),

    post('/api/clock/advance', 'subscription_write', 'Clocks', {
      summary: 'Move a test clock',
      description:
        'Forward, up to ten years at once. All that is due on the way happens in its order, with its payments. Answers when ' +
        'the clock has arrived, or after 15 seconds while it is still `ADVANCING`; look at it again then.',
      body: clockAdvance,
      data: clockRecord,
      handle: async ({ body, principal }) => ({
        message: 'Clock advanced',
        data: recordOf(await advanceClock(body, principal, deps)),
      }),
    }),

    get('/api/clock/detail', 'subscription_read', 'Clocks', {
      summary: 'Look at a test clock',
      query: clockQuery,
      data: clockRecord,
      handle: async ({ query, principal }) => {
        requireTestClocksOffered(deps);
        return { data: recordOf(await readClock(query.id, principal, deps.database)) };
      },
    }),

    get('/api/clock/list', 'subscription_read', 'Clocks', {
      summary: 'List test clocks',
      description: 'Newest first, at most 1,000.',
      data: Type.Array(clockRecord),
      handle: async ({ principal }) => {
        requireTestClocksOffered(deps);
        const rows = await deps.database.run(listClocks, [await tenantsSeen(deps.database, principal)]);
        return { data: rows.map(recordOf) };
      },
    }),
  ];
}

function recordOf({ id, name, now_at, target_at, created_at, updated_at }: ClockRow) {
  return {
    id,
    name,
    nowTime: now_at,
    state: target_at === null ? ('READY' as const) : ('ADVANCING' as const),
    toTime: target_at,
    createdTime: created_at,
    updatedTime: updated_at,
  };
}
