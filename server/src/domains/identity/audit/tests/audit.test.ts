import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administratorOf,
  channelInput,
  dataOf,
  type Member,
  makeChannel,
  makeKey,
  makeMember,
  makeTenant,
  memberPassword,
} from '../../../../../tests/support/factories.ts';
import { keptMails } from '../../../../../tests/support/mail/kept-mails.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { appendAuditEntries } from '../append.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let one: number;
let two: number;
let adminOfOne: Member;
let adminOfTwo: Member;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  [one, two] = [await makeTenant(florin, admin), await makeTenant(florin, admin)];
  adminOfOne = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: one });
  adminOfTwo = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: two });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

async function mailedToken(userName: string): Promise<string | undefined> {
  const mail = (await keptMails(florin.dataDir)).find((text) => text.includes(`${userName}@example.com`));
  // Quoted-printable breaks long lines.
  return mail?.replaceAll('=\r\n', '').match(/^([\w-]{43})\r?$/m)?.[1];
}

const list = async (search: string, as: string) => dataOf(await florin.get(`/api/audit/list?${search}`, as));

async function exported(search: string, as: string): Promise<string> {
  const { status, body } = await florin.get(`/api/audit/export?${search}`, as);
  expect(status).toBe(200);
  return body;
}

describe('an entry', () => {
  test('says who changed what, from which address and by which request, with the fields before and after', async () => {
    const input = channelInput({ name: 'Before', apiKey: 'top secret' });
    const { id } = dataOf(await florin.post('/api/channel/modify', input, adminOfOne.as));
    const changed = await florin.call('POST', '/api/channel/modify', {
      as: adminOfOne.as,
      body: { ...input, id, name: 'After', apiKey: '', webhookSecret: 'another secret' },
      headers: { 'x-request-id': 'request-1' },
    });
    expect(changed.status).toBe(200);
    const [update, create] = await list(`recordType=channel&recordId=${id}`, adminOfOne.as);
    expect(update).toMatchObject({
      id: expect.stringMatching(/^aud_[0-9a-f]{32}$/),
      tenantId: String(one),
      action: 'channel.update',
      recordType: 'channel',
      recordId: String(id),
      userId: adminOfOne.id,
      userName: adminOfOne.userName,
      by: 'session',
      keyId: null,
      address: '127.0.0.1',
      requestId: 'request-1',
    });
    expect(update.changes).toEqual({
      name: { before: 'Before', after: 'After' },
      apiKey: { after: null },
      webhookSecret: { after: '***' },
    });
    expect(Math.abs(Date.parse(update.time) - Date.now())).toBeLessThan(60_000);
    expect(create).toMatchObject({
      action: 'channel.create',
      changes: { name: { after: 'Before' }, apiKey: { after: '***' } },
    });
    expect(await db.query(`select from audit_entry where body like '%secret"%' or body like '%top secret%'`)).toEqual(
      [],
    );
  });

  test('names the developer key that was used', async () => {
    const key = await makeKey(florin, adminOfOne.as, 'channel_write');
    const id = await makeChannel(florin, key.as);
    expect(await list(`recordType=channel&recordId=${id}`, adminOfOne.as)).toMatchObject([
      { by: 'key', keyId: key.id, userId: adminOfOne.id },
    ]);
  });

  test('of a change that is refused is not written', async () => {
    const refused = await florin.post(
      '/api/channel/modify',
      channelInput({ fallbackChannelIds: [999_999] }),
      adminOfOne.as,
    );
    expect(refused.status).toBe(404);
    const requestId = refused.headers.get('x-request-id');
    expect(await db.query('select from audit_entry where strpos(body, $1) > 0', [requestId])).toEqual([]);
  });

  test('is chained shortly after its commit', async () => {
    const id = await makeChannel(florin, adminOfOne.as);
    const entry = await eventually('it is chained', async () => {
      const [found] = await list(`recordType=channel&recordId=${id}`, adminOfOne.as);
      return found.seq !== null && found;
    });
    expect(entry.hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a request that is refused', () => {
  test('for lack of permission is recorded with the caller, in the log of their tenant', async () => {
    const user = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId: one, roles: ['viewer'] });
    expect((await florin.post('/api/channel/modify', channelInput(), user.as)).status).toBe(403);
    const [entry] = await eventually('it is recorded', async () => {
      const found = await list(`action=access.refuse&userId=${user.id}`, adminOfOne.as);
      return found.length > 0 && found;
    });
    expect(entry).toMatchObject({
      userName: user.userName,
      address: '127.0.0.1',
      details: { type: 'scope_missing', route: 'POST /api/channel/modify', count: 1 },
    });
  });

  test('a login names the account if there is one, and never what was typed', async () => {
    await florin.post('/api/user/login', { account: adminOfOne.userName, password: 'not the password' });
    await florin.post('/api/user/login', { account: 'my-password-typed-here', password: 'x' });
    const [known] = await eventually('it is recorded', async () => {
      const found = await list(`action=session.login_refused`, adminOfOne.as);
      return found.length > 0 && found;
    });
    expect(known).toMatchObject({ userId: adminOfOne.id, userName: adminOfOne.userName, by: 'password' });
    const [unknown] = await eventually('it is recorded', async () => {
      const found = await list(`action=session.login_refused&tenantId=0`, admin);
      return found.length > 0 && found;
    });
    expect(unknown).toMatchObject({ userId: null, userName: null, by: 'nobody', address: '127.0.0.1' });
    expect(
      await db.query(`select from audit_entry where body like '%typed-here%' or body like '%not the password%'`),
    ).toEqual([]);
  });
});

test('a replay is recorded once, although it is asked for twice', async () => {
  const registered = await florin.post(
    '/api/webhook/register',
    { url: 'http://127.0.0.1:9/hook', events: ['*'], secret: 'our shared secret' },
    adminOfOne.as,
  );
  const { id } = dataOf(registered);
  const since = new Date(Date.now() - 60_000).toISOString();
  const replays = [
    await florin.post('/api/webhook/replay', { endpointId: id, since }, adminOfOne.as),
    await florin.post('/api/webhook/replay', { endpointId: id, since }, adminOfOne.as),
  ];
  const started = new Set(replays.filter(({ status }) => status === 200).map(({ body }) => body.data.replayId));
  const entries = await list(`recordType=webhook&recordId=${id}&action=webhook.replay`, adminOfOne.as);
  expect(new Set(entries.map(({ details }: { details: { replayId: string } }) => details.replayId))).toEqual(started);
  expect(entries).toHaveLength(started.size);
});

describe('a session', () => {
  test('leaves an entry for its login and for its logout', async () => {
    const { userName, id } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: two });
    const as = await florin.login(userName, memberPassword);
    await florin.post('/api/user/logout', {}, as);
    const [logout, login] = await list(`userId=${id}`, admin);
    expect(logout).toMatchObject({ action: 'session.logout', by: 'session', tenantId: String(two) });
    expect(login).toMatchObject({ action: 'session.login', by: 'password', recordId: logout.recordId });
  });

  test('a password reset by mail is recorded when it is requested and when it is done', async () => {
    const { userName, id } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: two });
    await florin.post('/api/user/forgot-password', { email: `${userName}@example.com` });
    const token = await eventually('the mail is written', () => mailedToken(userName));
    const newPassword = 'some other quiet rivers';
    expect((await florin.post('/api/user/reset-password', { token, newPassword })).status).toBe(200);
    const [reset, requested] = await list(`recordType=user&recordId=${id}`, admin);
    expect(reset).toMatchObject({
      action: 'user.reset_password',
      by: 'reset_token',
      userId: id,
      changes: { password: { after: '***' } },
    });
    expect(requested).toMatchObject({ action: 'user.request_password_reset', by: 'nobody', address: '127.0.0.1' });
    const secrets = [token, newPassword, memberPassword];
    expect(
      await db.query(
        'select from audit_entry where exists (select from unnest($1::text[]) as s where strpos(body, s) > 0)',
        [secrets],
      ),
    ).toEqual([]);
  });
});

describe('the list', () => {
  test('shows a merchant administrator their own tenant, and a platform administrator all', async () => {
    const [ofOne, ofTwo] = [await makeChannel(florin, adminOfOne.as), await makeChannel(florin, adminOfTwo.as)];
    const recordsOf = async (as: string) =>
      (await list('action=channel.create&pageSize=100', as)).map(({ recordId }: { recordId: string }) =>
        Number(recordId),
      );
    expect(await recordsOf(adminOfOne.as)).toContain(ofOne);
    expect(await recordsOf(adminOfOne.as)).not.toContain(ofTwo);
    expect(await recordsOf(admin)).toEqual(expect.arrayContaining([ofOne, ofTwo]));
    expect(await list(`recordType=channel&recordId=${ofTwo}`, adminOfOne.as)).toEqual([]);
    expect(await list(`tenantId=${two}`, adminOfOne.as)).toEqual([]);
    expect(await list(`tenantId=${two}&recordType=channel&recordId=${ofTwo}`, admin)).toHaveLength(1);
  });

  test('is refused to other users, and to keys for less than everything', async () => {
    const user = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId: one, roles: ['operator'] });
    const narrow = await makeKey(florin, adminOfOne.as, 'user_read,channel_read');
    const full = await makeKey(florin, adminOfOne.as, '*');
    for (const path of ['/api/audit/list', '/api/audit/export']) {
      expect(await florin.get(path, user.as)).toMatchObject({ status: 403, body: { error: { type: 'role_missing' } } });
      expect(await florin.get(path, narrow.as)).toMatchObject({
        status: 403,
        body: { error: { type: 'scope_missing' } },
      });
      expect((await florin.get(path, full.as)).status).toBe(200);
    }
  });

  test('is filtered by actor, action, record and days, and paged by a cursor', async () => {
    const id = await makeChannel(florin, adminOfTwo.as, { name: 'Paged' });
    for (const name of ['a', 'b', 'c'])
      dataOf(await florin.post('/api/channel/modify', channelInput({ id, name }), adminOfTwo.as));
    const record = `recordType=channel&recordId=${id}`;
    const all = await list(record, admin);
    expect(all.map(({ action }: { action: string }) => action)).toEqual([
      'channel.update',
      'channel.update',
      'channel.update',
      'channel.create',
    ]);
    expect(await list(`${record}&action=channel.create`, admin)).toEqual(
      [all[3]].map((entry) => expect.objectContaining({ id: entry.id })),
    );
    expect(await list(`${record}&userId=${adminOfOne.id}`, admin)).toEqual([]);
    expect(await list(`${record}&userId=${adminOfTwo.id}`, admin)).toHaveLength(4);
    const today = all[0].time.slice(0, 10);
    expect(await list(`${record}&startDate=${today}`, admin)).toHaveLength(4);
    expect(await list(`${record}&endDate=2020-01-01`, admin)).toEqual([]);
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await florin.get(`/api/audit/list?${record}&pageSize=3${after}`, admin);
      seen.push(...body.data.map((entry: { id: string }) => entry.id));
      if (body.pagination.next === null) break;
      after = `&after=${body.pagination.next}`;
    }
    expect(seen).toEqual(all.map((entry: { id: string }) => entry.id));
    expect(await florin.get(`/api/audit/list?recordId=${id}`, admin)).toMatchObject({
      status: 400,
      body: { error: { field: 'recordType' } },
    });
    expect(await florin.get('/api/audit/list?after=x', admin)).toMatchObject({
      status: 400,
      body: { error: { field: 'after' } },
    });
  });
});

describe('the export', () => {
  test('holds exactly the rows that pass the filters, and its hashes can be recomputed from it', async () => {
    await eventually(
      'all is chained',
      async () => (await db.query('select from audit_entry where seq is null')).length === 0,
    );
    const stored = await db.query<{ seq: number; hash: Buffer }>(
      'select seq, hash from audit_entry where tenant_id = $1 and seq is not null order by seq',
      [one],
    );
    const text = await exported(`tenantId=${one}`, admin);
    // A request may be recorded meanwhile, and is chained later.
    const chained = text
      .trimEnd()
      .split('\n')
      .map((line) => ({ line, entry: JSON.parse(line) }))
      .filter(({ entry }) => entry.seq !== null && entry.seq <= stored.length)
      .toSorted((a, b) => a.entry.seq - b.entry.seq);
    expect(chained.map(({ entry: { seq, hash } }) => ({ seq, hash }))).toEqual(
      stored.map(({ seq, hash }) => ({ seq, hash: hash.toString('hex') })),
    );
    let previous = Buffer.alloc(32);
    for (const { line, entry } of chained) {
      const body = line.replace(/,"seq":\d+,"chainedTime":"[^"]*","hash":"[0-9a-f]{64}"}$/, '}');
      previous = hash('sha256', Buffer.concat([previous, Buffer.from(entry.chainedTime + body)]), 'buffer');
      expect(entry.hash).toBe(previous.toString('hex'));
    }
    const [recorded] = await list('action=audit.export', admin);
    expect(recorded.details).toEqual({ format: 'ndjson', filters: { tenantId: one } });
  });

  test('goes on over many pages', async () => {
    const actor = { by: 'system', userId: 424_242, userName: null } as const;
    const entries = Array.from(
      { length: 2500 },
      (_, n) => [actor, { action: 'channel.update', tenantId: 0, details: { n } }] as const,
    );
    await appendAuditEntries(db.database, entries);
    const lines = (await exported('userId=424242', admin)).trimEnd().split('\n');
    expect(new Set(lines.map((line) => JSON.parse(line).details.n)).size).toBe(2500);
    expect(lines).toHaveLength(2500);
  });

  test('as CSV quotes what needs it, and disarms formulas', async () => {
    const name = '=cmd|"/c calc", and more';
    await makeChannel(florin, adminOfOne.as, { name });
    const csv = await exported('format=csv&action=channel.create', adminOfOne.as);
    const [header, first] = csv.split('\r\n') as [string, string];
    expect(header).toBe(
      'id,tenantId,time,action,recordType,recordId,userId,userName,by,keyId,address,requestId,changes,details,' +
        'seq,chainedTime,hash',
    );
    expect(first).toContain(`""name"":{""after"":""=cmd|\\""/c calc\\"", and more""}`);
  });
});
