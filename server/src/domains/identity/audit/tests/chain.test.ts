import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { migrateUpTo } from '../../../../../tests/support/postgres/migrate-up-to.ts';
import { dayMs } from '../../../../core/clock.ts';
import { type Check, offendersOf } from '../../../../platform/postgres/check.ts';
import { Database, type Queryable } from '../../../../platform/postgres/database.ts';
import { migrate } from '../../../../platform/postgres/migrate.ts';
import { appendAudit, systemActor } from '../append.ts';
import { chainAuditEntries } from '../chain.ts';
import { expireAuditEntries } from '../expire.ts';
import { auditHeads, disagreementWith, headText, parseHead } from '../heads.ts';
import { auditChecks, auditFindings } from '../integrity.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

beforeEach(async () => {
  await db.query('truncate audit_entry, audit_chain');
});

const append = (tenantId: number, name: string, transaction: Queryable = db.database) =>
  appendAudit(transaction, systemActor, { action: 'channel.update', tenantId, recordId: 7, after: { name } });

async function appendChained(tenantId: number, names: readonly string[]): Promise<void> {
  for (const name of names) await append(tenantId, name);
  await chainAuditEntries(db.database);
}

const isOfBeginnings = ({ claim }: Check) => claim.startsWith('Every audit log begins');

/** The logs of most tests begin with any entry. */
const offenders = () => named(auditChecks.filter((check) => !isOfBeginnings(check)));

async function named(checks: readonly { offenders: string }[]): Promise<string[]> {
  const found = await Promise.all(checks.map((check) => offendersOf(db.database, check, 11)));
  return found.flat();
}

const rowsOf = (tenantId: number) =>
  db.query<{ seq: number; name: string }>(
    `select seq, body::json->'changes'->'name'->>'after' as name from audit_entry where tenant_id = $1 order by seq`,
    [tenantId],
  );

/** Chains the one entry of a tenant that is not chained, as releases did before links had times. Value: tenant. */
const linkAsBefore = `
  with previous as (select coalesce(max(seq), 0) as seq from audit_entry where tenant_id = $1 and seq is not null),
       linked as (
         update audit_entry entry
            set seq = previous.seq + 1,
                hash = sha256(coalesce((select hash from audit_entry where tenant_id = $1 and seq = previous.seq),
                    decode(repeat('00', 32), 'hex'))
                              || convert_to(body, 'UTF8'))
           from previous where entry.tenant_id = $1 and entry.seq is null
         returning entry.tenant_id, entry.seq, entry.hash
       )
  insert into audit_chain (tenant_id, seq, hash) select tenant_id, seq, hash from linked
  on conflict (tenant_id) do update set seq = excluded.seq, hash = excluded.hash`;

describe('entries are chained', () => {
  test('by tenant, in the order in which they were written', async () => {
    for (const name of ['a', 'b', 'c']) for (const tenantId of [0, 5]) await append(tenantId, name);
    await chainAuditEntries(db.database);
    for (const tenantId of [0, 5]) {
      expect(await rowsOf(tenantId)).toEqual([
        { seq: 1, name: 'a' },
        { seq: 2, name: 'b' },
        { seq: 3, name: 'c' },
      ]);
    }
    expect(await offenders()).toEqual([]);
  });

  test('also when their transaction commits after later ones', async () => {
    let commit = () => {};
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let appended = () => {};
    const isAppended = new Promise<void>((resolve) => {
      appended = resolve;
    });
    const late = db.database.transaction(async (transaction) => {
      await append(0, 'late', transaction);
      appended();
      await committing;
    });
    await isAppended;
    // Neither the change nor the chain waits for the open transaction.
    await appendChained(0, ['early']);
    expect(await rowsOf(0)).toEqual([{ seq: 1, name: 'early' }]);
    commit();
    await late;
    await chainAuditEntries(db.database);
    expect(await rowsOf(0)).toEqual([
      { seq: 1, name: 'early' },
      { seq: 2, name: 'late' },
    ]);
    expect(await offenders()).toEqual([]);
  });

  test('once, when several nodes do it at the same time', async () => {
    const nodes = Array.from({ length: 3 }, () => new Database({ ...db, connections: 1, name: 'test node' }));
    try {
      for (let round = 0; round < 5; round++) {
        await Promise.all([
          ...Array.from({ length: 20 }, (_, n) => append(n % 3, `${round} ${n}`)),
          ...nodes.map((node) => chainAuditEntries(node)),
        ]);
      }
      await Promise.all(nodes.map((node) => chainAuditEntries(node)));
      await chainAuditEntries(db.database);
      expect(await db.query('select count(*) as count from audit_entry where seq is not null')).toEqual([
        { count: 100 },
      ]);
      expect(await offenders()).toEqual([]);
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
    }
  });
});

describe('verify finds', () => {
  const chainClaim = 'is an unbroken chain';

  test.each([
    ['a changed body', `update audit_entry set body = replace(body, '"b"', '"B"') where seq = 2`, 'tenant 0 entry 2'],
    ['a body that is no longer JSON', `update audit_entry set body = '{' where seq = 2`, 'tenant 0 entry 2'],
    ['a removed entry', 'delete from audit_entry where seq = 2', 'tenant 0 entry 3'],
    ['a removed beginning', 'delete from audit_entry where seq <= 2', 'tenant 0 entry 3'],
    ['a removed end', 'delete from audit_entry where seq = 4', 'tenant 0 after entry 3'],
    ['a removed log', 'delete from audit_entry', 'tenant 0 after entry 0'],
    [
      'a removed entry in a log that was numbered again',
      `delete from audit_entry where seq = 2; update audit_entry set seq = seq - 1 where seq > 2`,
      'tenant 0 entry 2',
    ],
    [
      'reordered entries',
      `update audit_entry set seq = -seq; update audit_entry set seq = case seq when -2 then 3 when -3 then 2
           else -seq end`,
      'tenant 0 entry 2',
    ],
    [
      'a link of another time',
      `update audit_entry set chained_at = chained_at - interval '1 ms' where seq = 2`,
      'tenant 0 entry 2',
    ],
    [
      'an entry that was taken out of the chain',
      'update audit_entry set seq = null, hash = null where seq = 3',
      'tenant 0 entry 4',
    ],
    ['an entry given to another tenant', 'update audit_entry set tenant_id = 9 where seq = 4', 'tenant 9 entry 4'],
    [
      'another action for the filter',
      `update audit_entry set action = 'plan.update' where seq = 2`,
      'tenant 0 entry 2',
    ],
    ['another record for the filter', `update audit_entry set record_id = null where seq = 2`, 'tenant 0 entry 2'],
    ['another actor for the filter', `update audit_entry set user_id = 3 where seq = 2`, 'tenant 0 entry 2'],
    [
      'another time for the list',
      `update audit_entry set id = '01000000-0000-7000-8000-000000000000' where seq = 2`,
      'tenant 0 entry 2',
    ],
  ])('%s', async (_what, sql, offender) => {
    await appendChained(0, ['a', 'b', 'c', 'd']);
    expect(await offenders()).toEqual([]);
    for (const part of sql.split(';')) await db.query(part);
    expect(await offenders()).toContain(offender);
  });

  test('nothing while entries wait to be chained', async () => {
    await appendChained(0, ['a']);
    await append(0, 'b');
    expect(await offenders()).toEqual([]);
    expect(auditChecks[0]?.claim).toContain(chainClaim);
  });
});

describe('the time of a link', () => {
  const linkTimes = () =>
    db.query<{ seq: number; chained_at: string }>('select seq, chained_at from audit_entry order by seq');

  test('is never before that of the link before, even when the clock was set back', async () => {
    await appendChained(0, ['a']);
    const ahead = '2126-01-31T09:30:00.500Z';
    // Its hash then differs; what follows it does not go below its time.
    await db.query(`update audit_entry set chained_at = $1`, [ahead]);
    await db.query(`update audit_chain set chained_at = $1`, [ahead]);
    await appendChained(0, ['b']);
    expect(await linkTimes()).toEqual([
      { seq: 1, chained_at: ahead },
      { seq: 2, chained_at: ahead },
    ]);
    await db.query(`update audit_entry set chained_at = now() where seq = 2`);
    expect(await offenders()).toContain('tenant 0 entry 2');
  });

  test('names an entry inserted with an old time as a finding, and breaks no claim', async () => {
    await appendChained(0, ['a', 'b']);
    await append(0, 'forged');
    const aged = `'01900000-0000-7000-8000-000000000000'`;
    await db.query(
      `update audit_entry
          set id = ${aged},
              body = regexp_replace(replace(body, replace(id::text, '-', ''), replace(${aged}, '-', '')),
                                    '"time":"[^"]*"', '"time":"2024-06-09T22:53:49.000Z"')
        where seq is null`,
    );
    await chainAuditEntries(db.database);
    expect(await offenders()).toEqual([]);
    expect(await named(auditFindings)).toEqual(['tenant 0 entry 3']);
  });

  test('shows an old time in the text of an entry alone', async () => {
    await append(0, 'forged');
    await db.query(`update audit_entry set body = replace(body, '"time":"2', '"time":"1')`);
    await chainAuditEntries(db.database);
    expect(await named(auditFindings)).toEqual(['tenant 0 entry 1']);
  });

  test('is absent where an older release chained: before the first it is usual, after it a finding', async () => {
    await append(0, 'old');
    await db.query(linkAsBefore, [0]);
    await appendChained(0, ['new']);
    expect([await offenders(), await named(auditFindings)]).toEqual([[], []]);
    await append(0, 'old again');
    await db.query(linkAsBefore, [0]);
    expect([await offenders(), await named(auditFindings)]).toEqual([[], ['tenant 0 entry 3']]);
  });
});

describe('a log begins', () => {
  const misbegun = () => named(auditChecks.filter(isOfBeginnings));
  const create = (tenantId: number, recordId = tenantId) =>
    appendAudit(db.database, systemActor, { action: 'tenant.create', tenantId, recordId });
  const note = (tenantId: number, firstId: string | null) =>
    appendAudit(db.database, systemActor, { action: 'audit.begin', tenantId, details: { firstId } });

  test('with the creation of its own tenant', async () => {
    await create(5);
    await create(6, 5);
    await appendChained(5, ['a']);
    expect(await misbegun()).toEqual(['tenant 6 entry 1']);
  });

  test('after expired entries', async () => {
    await create(5);
    await chainAuditEntries(db.database);
    await expireAuditEntries(db.database, Date.now() + 402 * dayMs, 400 * dayMs);
    await appendChained(5, ['a']);
    expect(await misbegun()).toEqual([]);
  });

  test('where an entry notes it: with this one, or with an older one that it names', async () => {
    await note(0, null);
    await appendChained(5, ['a']);
    const [first] = await db.query<{ id: string }>(`select 'aud_' || replace(id::text, '-', '') as id from audit_entry
      where tenant_id = 5`);
    await note(5, first?.id ?? null);
    await appendChained(6, ['a']);
    await note(6, first?.id ?? null);
    await chainAuditEntries(db.database);
    expect(await misbegun()).toEqual(['tenant 6 entry 1']);
  });

  test('nowhere else: a log that was removed as a whole and goes on is found', async () => {
    await note(0, null);
    await appendChained(0, ['a', 'b']);
    expect(await misbegun()).toEqual([]);
    await db.query('truncate audit_entry, audit_chain');
    await appendChained(0, ['c']);
    expect([await offenders(), await misbegun()]).toEqual([[], ['tenant 0 entry 1']]);
  });

  test('in an older database as the migration notes it, or with the creation of the tenant', async () => {
    const old = await databaseFromTemplate('template0');
    try {
      await migrateUpTo(old, '0032');
      await old.query(
        `insert into tenant (id, name) values (5, 'Created'), (6, 'Without a creation'), (7, 'Without entries')`,
      );
      const entries = [
        [0, 'channel.update'],
        [5, 'tenant.create'],
        [6, 'channel.update'],
        [6, 'channel.update'],
      ] as const;
      for (const [tenantId, action] of entries) {
        await appendAudit(old.database, systemActor, { action, tenantId, recordId: tenantId });
        await old.query(linkAsBefore, [tenantId]);
      }
      const heads = await auditHeads(old.database);
      await migrate(old.connection, () => {});
      await chainAuditEntries(old.database);
      const found = [...auditChecks, ...auditFindings].map((check) => offendersOf(old.database, check, 11));
      expect((await Promise.all(found)).flat()).toEqual([]);
      for (const head of heads) expect(await disagreementWith(old.database, head)).toBeUndefined();
      expect(
        await old.query(`select tenant_id, seq from audit_entry where action = 'audit.begin' order by tenant_id`),
      ).toEqual([
        { tenant_id: 0, seq: 2 },
        { tenant_id: 6, seq: 3 },
        { tenant_id: 7, seq: 1 },
      ]);
    } finally {
      await old.drop();
    }
  });

  test('of the platform with the entry that the migration of a new database notes', async () => {
    const fresh = await databaseFromTemplate();
    try {
      await chainAuditEntries(fresh.database);
      expect(await fresh.query('select tenant_id, seq, action from audit_entry')).toEqual([
        { tenant_id: 0, seq: 1, action: 'audit.begin' },
      ]);
      const found = await Promise.all(auditChecks.map((check) => offendersOf(fresh.database, check, 11)));
      expect(found.flat()).toEqual([]);
    } finally {
      await fresh.drop();
    }
  });
});

describe('a head that was noted outside', () => {
  async function noted() {
    await appendChained(0, ['a', 'b', 'c']);
    const [head] = await auditHeads(db.database);
    return parseHead(headText(head as never)) as NonNullable<ReturnType<typeof parseHead>>;
  }

  test('still holds when the log has grown', async () => {
    const head = await noted();
    expect(head).toMatchObject({ tenantId: 0, seq: 3 });
    await appendChained(0, ['d']);
    expect(await disagreementWith(db.database, head)).toBeUndefined();
  });

  test('shows that the end was removed, even when the chain was changed to match', async () => {
    const head = await noted();
    await db.query('delete from audit_entry where seq = 3');
    await db.query(`update audit_chain set seq = 2, hash = (select hash from audit_entry where seq = 2)`);
    expect(await offenders()).toEqual([]);
    expect(await disagreementWith(db.database, head)).toBe(
      'entry 3 of the platform is missing: the log ends with entry 2',
    );
  });

  test('shows that the whole log was rewritten', async () => {
    const head = await noted();
    await db.query('truncate audit_entry, audit_chain');
    await appendChained(0, ['a', 'B', 'c', 'd']);
    expect(await offenders()).toEqual([]);
    expect(await disagreementWith(db.database, head)).toBe('entry 3 of the platform has another hash');
  });

  test('is refused when it is not one', () => {
    for (const text of ['', '0:1', '0:1:ab', `x:1:${'0'.repeat(64)}`, `0:1:${'0'.repeat(64)} `]) {
      expect(parseHead(text)).toBeUndefined();
    }
  });
});

describe('expired entries', () => {
  const keepMs = 400 * dayMs;
  const in401Days = () => Date.now() + 402 * dayMs;

  test('are removed, and the chain continues from the hash of the last one', async () => {
    await appendChained(0, ['a', 'b', 'c']);
    await appendChained(5, ['a']);
    const heads = await auditHeads(db.database);
    await expireAuditEntries(db.database, in401Days(), keepMs);
    expect(await db.query('select from audit_entry where action <> $1', ['audit.expire'])).toEqual([]);
    expect(await offenders()).toEqual([]);
    await appendChained(0, ['d']);
    expect((await rowsOf(0)).map(({ seq }) => seq)).toEqual([4, 5]);
    expect(await offenders()).toEqual([]);
    for (const head of heads) expect(await disagreementWith(db.database, head)).toBeUndefined();
    await db.query(
      `update audit_entry set body = replace(body, '"throughSeq":3', '"throughSeq":2') where tenant_id = 0`,
    );
    expect(await offenders()).toContain('tenant 0 entry 4');
  });

  test('are removed once a day, and nothing is removed before its time', async () => {
    await appendChained(0, ['a']);
    await expireAuditEntries(db.database, Date.now() + 399 * dayMs, keepMs);
    expect(await rowsOf(0)).toHaveLength(1);
    await expireAuditEntries(db.database, in401Days(), keepMs);
    await chainAuditEntries(db.database);
    await expireAuditEntries(db.database, in401Days(), keepMs);
    expect(await db.query('select action from audit_entry')).toEqual([{ action: 'audit.expire' }]);
  });

  test('a head that has expired is distinguished from one that was tampered with', async () => {
    await appendChained(0, ['a']);
    const [head] = await auditHeads(db.database);
    await appendChained(0, ['b']);
    await expireAuditEntries(db.database, in401Days(), keepMs);
    await appendChained(0, ['c']);
    expect(await disagreementWith(db.database, head as never)).toMatch(/^entry 1 of the platform has expired/);
  });
});
