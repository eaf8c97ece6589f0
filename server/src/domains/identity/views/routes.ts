import { Type } from 'typebox';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { listViews, modifyView, removeView, type ViewDeps } from './manage.ts';
import { modifyViewInput, removeViewInput, viewQuery, viewRecord } from './schema.ts';

export const group = 'Views';

export function viewRoutes(deps: ViewDeps): Route[] {
  return [
    get('/api/view/list', 'session', group, {
      summary: "List the caller's saved views",
      description: 'By list, oldest first; those of other users are never shown.',
      query: viewQuery,
      data: Type.Array(viewRecord),
      handle: async ({ query, principal }) => ({ data: await listViews(query.listName, principal, deps) }),
    }),

    post('/api/view/modify', 'session', group, {
      summary: 'Save a view',
      description:
        'Replaces the view of the same list and name. Without a name it is the default view, with which the list opens.',
      body: modifyViewInput,
      refuses: ['view_limit_reached'],
      data: viewRecord,
      handle: async ({ body, principal }) => ({
        message: 'View saved',
        data: await modifyView(body, principal, deps),
      }),
    }),

    post('/api/view/remove', 'session', group, {
      summary: 'Remove a view',
      description: 'Changes nothing if the caller has no view of this name.',
      body: removeViewInput,
      data: Type.Null(),
      handle: async ({ body, principal }) => {
        await removeView(body, principal, deps);
        return { message: 'View removed', data: null };
      },
    }),
  ];
}
