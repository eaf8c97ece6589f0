import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { keysInUse } from '../../../src/app/config/sealed-values.ts';
import { secretsOf } from '../../../src/app/config/secrets.ts';
import { readSettings, SettingsError } from '../../../src/app/config/settings.ts';
import { startFlorin } from '../../../src/app/florin.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { freshKeyring } from '../../../src/platform/crypto/keyring.ts';
import { openLog } from '../../../src/platform/process/log.ts';
import { dataOf, makePayment } from '../../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../support/postgres/database.ts';
import { administratorPassword, florinOn } from '../../support/service/florin.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-lost-keys-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function refusal(start: Promise<unknown>): Promise<string> {
  const error = (await start.catch((reason) => reason)) as Error;
  expect(error).toBeInstanceOf(SettingsError);
  expect(error.message).not.toContain('\n');
  return error.message;
}

describe('beside an embedded database', () => {
  // Keys are read before the database is opened: this much of a data folder is enough.
  function dataFolder(name: string, ...files: string[]): string {
    const path = join(folder, name);
    mkdirSync(join(path, 'postgres/cluster'), { recursive: true });
    writeFileSync(join(path, 'postgres/cluster/PG_VERSION'), '18\n');
    for (const file of files) writeFileSync(join(path, file), freshKeyring());
    return path;
  }
  const settingsIn = (dataDir: string) => readSettings({ APP_DATA_DIR: dataDir, PORT: '0' }, undefined);

  test('lost encryption keys stop the start, and no new ones are generated', async () => {
    const dataDir = dataFolder('without', 'jwt-keys');
    const line = await refusal(startFlorin(settingsIn(dataDir), openLog('silent')));
    expect(line).toContain(`${dataDir}/encryption-keys is missing, and ${dataDir} holds a database`);
    expect(line).toMatch(/secrets of channels, webhook endpoints.*from a backup of the data folder.*"Lost keys"/);
    expect(readdirSync(dataDir).toSorted()).toEqual(['jwt-keys', 'postgres']);
  });

  test('empty encryption keys stop the start', async () => {
    const dataDir = dataFolder('emptied', 'jwt-keys');
    writeFileSync(join(dataDir, 'encryption-keys'), '');
    expect(await refusal(startFlorin(settingsIn(dataDir), openLog('silent')))).toContain('encryption-keys is empty');
  });

  test('lost signing keys are replaced with a warning, since that only ends sessions', async () => {
    const dataDir = dataFolder('signed-out', 'encryption-keys');
    const log = openLog('silent');
    const warn = vi.spyOn(log, 'warn');
    await secretsOf(settingsIn(dataDir), log);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/jwt-keys was missing.*every session has ended/)]]);
    await secretsOf(settingsIn(dataDir), log);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe('on an external database with stored secrets', () => {
  let db: TestDatabase;
  let keyring: string;
  let key: string;
  let inboxPath: string;

  /** Replaces the lost key. */
  const fresh = freshKeyring();
  let sandboxChannel: { id: number };
  let receiver: Receiver;
  let endpointId: number;

  const nodeWith = (APP_ENCRYPTION_KEYS: string, clock?: Clock) =>
    florinOn(
      db,
      {
        APP_DEPLOYMENT_MODE: 'CLUSTER',
        APP_JWT_KEYS: freshKeyring(),
        APP_ENCRYPTION_KEYS,
        APP_SANDBOX_ENABLED: 'true',
        APP_WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
      },
      clock,
    );

  beforeAll(async () => {
    db = await databaseFromTemplate();
    const dataDir = join(folder, 'first');
    const florin = await florinOn(db, { APP_DATA_DIR: dataDir, APP_ENCRYPTION_KEYS: '' });
    keyring = readFileSync(join(dataDir, 'encryption-keys'), 'utf8').trim();
    key = keyring.split(':')[0] as string;
    const admin = await florin.login('admin', administratorPassword);
    const channel = { name: 'C', code: 'c', type: 'ONLINE', currency: 'USD', country: 'US', state: true };
    const secrets = { apiKey: 'one', webhookSecret: 'two' };
    expect((await florin.post('/api/channel/modify', { ...channel, ...secrets }, admin)).status).toBe(200);
    const sandbox = { ...channel, code: 'sandbox', provider: 'sandbox', ...secrets };
    sandboxChannel = dataOf(await florin.post('/api/channel/modify', sandbox, admin));
    receiver = await startReceiver();
    const hook = {
      url: receiver.url,
      events: ['transaction.created'],
      secret: 'whsec_DemonstrationSecret1',
      livemode: false,
    };
    endpointId = dataOf(await florin.post('/api/webhook/register', hook, admin)).id;
    const inbox = await florin.post('/api/inbox/create', { secret: 'whsec_DemonstrationSecret1' }, admin);
    expect(inbox.status).toBe(200);
    inboxPath = `/inbox/${inbox.body.data.token}`;
    await florin.stop();
  });

  afterAll(async () => {
    await receiver.close();
    await db.drop();
  });

  const sealed = 'secrets in the database (channels: 4, inboxes: 1, webhook endpoints: 1)';

  test('an empty data folder stops the start, and no keys are generated in it', async () => {
    const dataDir = join(folder, 'emptied-elsewhere');
    const line = await refusal(florinOn(db, { APP_DATA_DIR: dataDir, APP_ENCRYPTION_KEYS: '' }));
    expect(line).toContain(
      `${dataDir}/encryption-keys is missing, and the database holds secrets sealed with key ${key}`,
    );
    expect(existsSync(join(dataDir, 'encryption-keys'))).toBe(false);
  });

  test('keys that lack the one in use stop the start', async () => {
    const line = await refusal(nodeWith(freshKeyring()));
    expect(line).toContain(`app.encryption.keys lacks key ${key}, which sealed ${sealed}`);
    expect(line).not.toContain(keyring);
  });

  test('another key under the name of the one in use stops the start', async () => {
    const other = `${key}:${freshKeyring().split(':')[1]}`;
    const line = await refusal(nodeWith(other));
    expect(line).toContain(`key ${key} in app.encryption.keys is not the key of this name that sealed ${sealed}`);
    expect(line).not.toContain(other);
  });

  test('one damaged value does not make the right key look wrong', async () => {
    await db.query(
      `update channel set api_key_sealed = set_byte(api_key_sealed, 39, get_byte(api_key_sealed, 39) # 1)`,
    );
    await (await nodeWith(keyring)).stop();
  });

  test('a node with a new key before the one in use starts', async () => {
    await (await nodeWith(`${freshKeyring()},${keyring}`)).stop();
  });

  test('a node with a lost key starts with a warning, and its inboxes accept messages unverified', async () => {
    const florin = await nodeWith(`${fresh},${key}:lost`);
    const admin = await florin.login('admin', administratorPassword);
    const { body } = await florin.get('/api/channel/list', admin);
    const { createdTime: _, updatedTime: __, tenantId: ___, callbackUrl: ____, ...channel } = body.data[0];
    const secrets = { apiKey: 'three', webhookSecret: 'four' };
    const saved = await florin.post('/api/channel/modify', { ...channel, ...secrets }, admin);
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    const posted = await florin.call('POST', inboxPath, { body: '{}' });
    expect(posted.body).toMatchObject({ code: 200, data: { serviceSignature: null, standardSignature: null } });
    await florin.stop();
    const { encryptionKeys } = await secretsOf(
      readSettings({ APP_ENCRYPTION_KEYS: `${fresh},${key}:lost`, APP_DATA_DIR: join(folder, 'unused') }, undefined),
      openLog('silent'),
    );
    expect(await keysInUse(db.database, encryptionKeys, Date.now())).toEqual(
      expect.arrayContaining([
        { id: key, state: 'lost', what: 'channels: 2, inboxes: 1, webhook endpoints: 1' },
        { id: fresh.split(':')[0], state: 'opens', what: 'channels: 2' },
      ]),
    );
  });

  test('until lost secrets are set again callbacks are refused, and charges and deliveries wait', async () => {
    let movedMs = 0;
    const florin = await nodeWith(`${fresh},${key}:lost`, () => Date.now() + movedMs);
    const admin = await florin.login('admin', administratorPassword);
    const {
      createdTime: _,
      updatedTime: __,
      tenantId: ___,
      callbackUrl: ____,
      ...channel
    } = sandboxChannel as Record<string, unknown>;
    const refused = await florin.call('POST', `/api/callback/${channel.id}`, { body: '{}' });
    expect(refused).toMatchObject({ status: 401, body: { error: { type: 'callback_invalid' } } });

    const id = await makePayment(florin, admin, sandboxChannel.id);
    const detail = async () => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
    await eventually('the charge waits', async () => {
      const [row] = await db.query<{ waits: boolean }>(
        `select state = 'READY' and lease is null and due_at > created_at as waits from provider_operation`,
      );
      return row?.waits;
    });
    await eventually('the endpoint is paused', async () => {
      const [row] = await db.query<{ paused: boolean }>(
        'select open_until is not null as paused from webhook_endpoint',
      );
      return row?.paused;
    });
    expect((await detail()).status).toBe('PROCESSING');
    expect(receiver.received).toEqual([]);
    expect(await db.query('select from delivery_attempt')).toEqual([]);

    dataOf(await florin.post('/api/channel/modify', { ...channel, apiKey: 'five', webhookSecret: 'six' }, admin));
    dataOf(await florin.post('/api/webhook/rotate', { id: endpointId, secret: 'whsec_TheNextDemonstration' }, admin));
    dataOf(await florin.post('/api/webhook/rotate', { id: endpointId, promote: true }, admin));
    movedMs = 60_000;
    await eventually('the charge succeeds', async () => (await detail()).status === 'SUCCESS');
    await eventually('the delivery arrives', () => receiver.received.length > 0);
    expect(receiver.received).toHaveLength(1);
    await florin.stop();
  });
});
