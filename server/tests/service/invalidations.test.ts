import { expect, test } from 'vitest';
import type { Statement } from '../../src/platform/postgres/statement.ts';
import { statementsOfAllModules, unconnectedNode } from '../support/service/unconnected-node.ts';

/** The columns of which caches hold copies, by table. */
const cachedColumns: Record<string, readonly string[]> = {
  tenant: ['state', 'second_factor_required'],
  app_user: ['tenant_id', 'user_name', 'email', 'user_type', 'roles', 'has_second_factor', 'state'],
  session: ['user_id', 'ended_at', 'expires_at', 'stepped_up_until', 'generation'],
  developer_key: ['user_id', 'key_hash', 'state', 'scope', 'livemode', 'expires_at', 'allowed_addresses'],
  channel: [
    ...['name', 'code', 'type', 'currencies', 'country', 'state', 'provider', 'livemode', 'fallback_channel_ids'],
    ...['callback_token', 'api_key_sealed', 'api_secret_sealed', 'webhook_secret_sealed'],
  ],
  webhook_endpoint: ['url', 'reaches_private', 'secret_sealed', 'next_secret_sealed', 'promote_at', 'state'],
};

/** Statements that write cached columns and invalidate nothing, each with the reason. */
const exceptions: Record<string, string> = {
  'sessions.delete_expired session': 'A cached session knows when it expires.',
  'webhooks.promote_due_secrets webhook_endpoint':
    'The cached target has signed with the next secret since it was due.',
  ...Object.fromEntries(
    [
      ...['api_key_sealed', 'api_secret_sealed', 'webhook_secret_sealed'].map((column) => ['channel', column]),
      ...['secret_sealed', 'next_secret_sealed'].map((column) => ['webhook_endpoint', column]),
    ].map(([table, column]) => [
      `sealed.${table}.${column}.replace ${table}`,
      'The same secret under another key; a process opens what it has cached with the keys that it has.',
    ]),
  ),
};

/** The tables in which a statement changes what may be cached. Absence is not cached, so inserting changes nothing. */
function changesCached(text: string): string[] {
  return Object.entries(cachedColumns).flatMap(([table, columns]) => {
    if (new RegExp(`\\bdelete from ${table}\\b`).test(text)) return [table];
    const updates = text.matchAll(
      new RegExp(`\\bupdate ${table}\\b(?: as)?(?: \\w+)?\\s+set\\b(.*?)(?:\\b(?:from|where)\\b|$)`, 'gs'),
    );
    const assigns = [...updates].some(([, set = '']) =>
      columns.some((column) => new RegExp(`(^|,)\\s*${column} =`).test(set)),
    );
    return assigns ? [table] : [];
  });
}

const forgotten = ({ name, text, invalidates }: Statement<never>) =>
  invalidates === undefined ? changesCached(text).map((table) => `${name} ${table}`) : [];

test('every statement that changes what is cached invalidates it, or is an exception with a reason', () => {
  const found = new Set(statementsOfAllModules().flatMap(forgotten));
  expect([...found].toSorted()).toEqual(Object.keys(exceptions).toSorted());
});

test('a forgotten invalidation is found', () => {
  const update = { name: 'x', text: 'update channel c\n set updated_at = $2, state = $1 where id = 1' };
  const invalidates = { cache: 'channels', key: () => 1 };
  expect(forgotten(update)).toEqual(['x channel']);
  expect(forgotten({ ...update, invalidates })).toEqual([]);
  expect(forgotten({ name: 'x', text: 'delete from session where id = 1' })).toEqual(['x session']);
  expect(forgotten({ name: 'x', text: 'update session set last_used_at = $1 where state = 1' })).toEqual([]);
  expect(forgotten({ name: 'x', text: 'insert into channel (state) values ($1)' })).toEqual([]);
});

/**
 * A transaction that invalidates commits under a lock of the whole database. These statements run when somebody changes
 * a record, logs out or steps up, and when an endpoint is disabled; none runs for every create, settlement or delivery.
 */
const invalidating = [
  'channels.update',
  'developer_keys.replace',
  'developer_keys.revoke',
  'developer_keys.revoke_administered',
  'developer_keys.revoke_of_user',
  'sessions.advance_generation',
  'sessions.end',
  'sessions.end_all_of_user',
  'sessions.end_of_user',
  'sessions.end_others',
  'sessions.step_up',
  'tenants.update',
  'users.set_has_second_factor',
  'users.update',
  'webhooks.disable_endpoint',
  'webhooks.mark_removed',
  'webhooks.promote_secret',
  'webhooks.record_exhaustion',
  'webhooks.schedule_promotion',
  'webhooks.stage_secret',
  'webhooks.update_endpoint',
];

test('no statement that runs for every create, settlement or delivery invalidates', () => {
  const found = new Set(statementsOfAllModules().flatMap(({ name, invalidates }) => (invalidates ? [name] : [])));
  expect([...found].toSorted()).toEqual(invalidating);
});

test('a statement that only counts a failure of an endpoint, and leaves it enabled, invalidates nothing', () => {
  const exhaustion = statementsOfAllModules().find(({ name }) => name === 'webhooks.record_exhaustion');
  const key = exhaustion?.invalidates?.key as (row: object) => unknown;
  expect([key({ id: 7, state: true }), key({ id: 7, state: false })]).toEqual([undefined, 7]);
});

test('every cache is invalidated by the name that it is held under, and nothing else is named', () => {
  const named = new Set(
    statementsOfAllModules().flatMap(({ invalidates }) => (invalidates ? [invalidates.cache] : [])),
  );
  expect(named).toEqual(unconnectedNode().caches.names);
});
