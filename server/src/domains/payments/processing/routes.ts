import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import { timelineQuery, timelineStep } from './schema.ts';
import { maximumSteps, type TimelineDeps, timelineOf } from './timeline.ts';

export function processingRoutes(deps: TimelineDeps): Route[] {
  return [
    get('/api/transaction/timeline', 'transaction_read', 'Transactions', {
      summary: 'What happened to a transaction',
      description: `Every step, oldest first: at most ${maximumSteps} besides its creation, the newest.`,
      query: timelineQuery,
      data: Type.Array(timelineStep),
      handle: async ({ query, principal }) => ({ data: await timelineOf(query.id, principal, deps) }),
    }),
  ];
}
