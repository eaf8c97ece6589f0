import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { IdentityApp } from '../app.ts';
import type { modifyViewInput, removeViewInput, viewRecord } from './schema.ts';
import { deleteView, listViewsOfUser, lockOwner, upsertView, type ViewRow } from './statements.ts';

export type View = Static<typeof viewRecord>;

/** About twenty per list. */
const maxViewsOfUser = 200;
/** The stored name of a list's default view. */
const noName = '';

export async function listViews(
  { query: { listName }, principal: { userId } }: Call<unknown, { listName?: string }>,
  { database }: IdentityApp,
): Promise<View[]> {
  return (await database.run(listViewsOfUser, [userId, listName ?? null])).map(recordOf);
}

/** Saves a view of the caller and replaces one of the same name. Refuses more than 200 (`view_limit_reached`). */
export function modifyView(
  { body: { listName, name = noName, query }, principal: { userId } }: Call<Static<typeof modifyViewInput>>,
  { database, clock }: IdentityApp,
): Promise<View> {
  return database.transaction(async (transaction) => {
    await transaction.run(lockOwner, [userId]);
    const values = [userId, listName, name, query, new Date(clock()), maxViewsOfUser];
    const [row] = await transaction.run(upsertView, values);
    if (row === undefined) throw limitReached();
    return recordOf(row);
  });
}

/** Removing a view that does not exist is no error: it may have been removed in another window. */
export async function removeView(
  { body: { listName, name = noName }, principal: { userId } }: Call<Static<typeof removeViewInput>>,
  { database }: IdentityApp,
): Promise<void> {
  await database.run(deleteView, [userId, listName, name]);
}

function limitReached(): Refusal {
  return new Refusal('view_limit_reached', rule('view_limit', { limit: maxViewsOfUser }), {
    details: { limit: maxViewsOfUser },
  });
}

function recordOf({ list_name, name, query, created_at, updated_at }: ViewRow): View {
  return {
    listName: list_name,
    name: name === noName ? null : name,
    query,
    createdTime: created_at,
    updatedTime: updated_at,
  };
}
