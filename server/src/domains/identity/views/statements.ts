import { statement } from '../../../platform/postgres/statement.ts';

export interface ViewRow {
  list_name: string;
  /** Empty: the default view. */
  name: string;
  query: string;
  created_at: string;
  updated_at: string;
}

const columns = 'list_name, name, query, created_at, updated_at';

/** Oldest first. Values: user, list or null for all. */
export const listViewsOfUser = statement<ViewRow>(
  'views.list_of_user',
  `select ${columns} from saved_view
    where user_id = $1 and ($2::text is null or list_name = $2)
    order by list_name, created_at, name limit 1000`,
);

/** Serializes the saves of one user, so that parallel ones cannot exceed the limit. Values: user. */
export const lockOwner = statement<{ id: number }>(
  'views.lock_owner',
  'select id from app_user where id = $1 for no key update',
);

/**
 * Replaces a view of the same name. Returns no row if the view is new and the user already has the maximum. Values:
 * user, list, name, query, now, the maximum.
 */
export const upsertView = statement<ViewRow>(
  'views.upsert',
  `insert into saved_view (user_id, list_name, name, query, created_at, updated_at)
   select $1, $2, $3, $4, $5, $5
    where (select count(*) from saved_view where user_id = $1 and (list_name, name) <> ($2, $3)) < $6
       on conflict (user_id, list_name, name) do update set query = excluded.query, updated_at = excluded.updated_at
   returning ${columns}`,
);

/** Values: user, list, name. */
export const deleteView = statement(
  'views.delete',
  `delete from saved_view where user_id = $1 and list_name = $2 and name = $3`,
);
