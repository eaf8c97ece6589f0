import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import { timelineQuery, timelineStep } from './schema.ts';
import { maximumSteps, readTimeline, type TimelineDeps } from './timeline/read.ts';

export function processingRoutes(deps: TimelineDeps): Route[] {
  return [
    get('/api/transaction/timeline', 'transaction_read', 'Transactions', {
      summary: 'Read the timeline of a transaction',
      description: `Every step, oldest first: the creation and at most the newest ${maximumSteps} others.`,
      query: timelineQuery,
      data: Type.Array(timelineStep),
      handle: async ({ query, principal }) => ({ data: await readTimeline(query.id, principal, deps) }),
    }),
  ];
}
