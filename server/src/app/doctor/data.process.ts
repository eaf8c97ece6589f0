import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type StripeSimulator,
  simulatedApiKey,
  startStripeSimulator,
} from '../../../tests/support/simulators/stripe.ts';
import { newEndpoint } from '../../../tests/support/simulators/stripe-endpoints.ts';
import { secretAssociatedData as channelSecretAssociatedData } from '../../domains/payments/channels/secrets.ts';
import { neededEvents } from '../../domains/payments/providers/stripe/webhook-endpoints.ts';
import { endpointSecretAssociatedData } from '../../domains/webhooks/endpoints/directory.ts';
import { freshKeyring, parseKeyring } from '../../platform/crypto/keyring.ts';
import { Sealer } from '../../platform/crypto/seal.ts';
import { ArchiveFolder } from '../backup/archive/archive-folder.ts';
import { examine } from './doctor.ts';
import {
  type Defect,
  type ExaminedNode,
  examinedKeys,
  findingsOf,
  healthyMachine,
  openExaminedNode,
} from './fixture/examined-node.ts';

/** What the doctor says of the contents of the database. */
let node: ExaminedNode;
let stripe: StripeSimulator;

beforeAll(async () => {
  node = await openExaminedNode();
  stripe = await startStripeSimulator();
});

afterAll(async () => {
  await stripe.close();
  await node.close();
});

const defects: Record<string, Defect> = {
  'an administrator with a password alone': {
    check: 'platform administrators have a second factor in production',
    what: /^admin can log in with a password alone/,
    cure: /APP_SECURITY_PLATFORM_SECOND_FACTOR=required.*APP_SECURITY_PROFILE=strict/,
    settings: () => node.clusterNode(),
    sql: ['update app_user set has_second_factor = false', 'update app_user set has_second_factor = true'],
  },
  'a usual name in the strict profile': {
    check: 'no account has a usual name in the strict profile',
    what: /attackers try admin first/,
    cure: /rename or disable/,
    settings: () => node.clusterNode({ APP_SECURITY_PROFILE: 'strict', APP_ADMIN_ACCOUNT: 'chief' }),
  },
  'a migration that is missing': {
    check: 'the schema is that of this version',
    what: /migrations are missing: 0001_baseline/,
    cure: /start a node/,
    sql: [
      'create table hidden as select * from schema_migration; delete from schema_migration',
      'insert into schema_migration select * from hidden; drop table hidden',
    ],
  },
  'a schema of a newer version': {
    check: 'the schema is that of this version',
    what: /newer Florin .*9999_newer/,
    cure: /update this node/,
    sql: [
      `insert into schema_migration (name, run_on) values ('9999_newer', now())`,
      `delete from schema_migration where name = '9999_newer'`,
    ],
  },
  'an encryption key of another installation': {
    check: 'the encryption keys open what is stored',
    what: /encryption-keys lacks key .* \(channels: 1\)/,
    cure: /put it back into the list/,
    plant: async () => {
      await writeFile(node.keyFile(), freshKeyring());
      return () => writeFile(node.keyFile(), examinedKeys);
    },
  },
  'endpoints whose signatures no library verifies': {
    check: 'every library of Standard Webhooks verifies what endpoints are sent',
    what: /webhook endpoints 901, 903 begin with whsec_/,
    cure: /webhook\/rotate/,
    plant: async () => {
      const secrets = ['whsec_not_base64_at_all', 'whsec_QuickstartSecret', 'whsec_unpaddedSecret', 'no prefix at all'];
      const sealer = new Sealer(parseKeyring(examinedKeys));
      for (const [at, secret] of secrets.entries()) {
        const id = 901 + at;
        await node.db.query(
          `insert into webhook_endpoint (tenant_id, id, user_id, url, events, secret_sealed, created_at, livemode,
               secret_is_legacy)
           select 0, $1, id, 'https://shop.example', '{*}', $2, now(), true, true from app_user limit 1`,
          [id, sealer.seal(secret, endpointSecretAssociatedData(0, id))],
        );
      }
      return () => node.db.query('delete from webhook_endpoint where id > 900');
    },
  },
  'an endpoint at Stripe that does not send everything': {
    check: 'providers send the events that channels read',
    what: /^channel 911 \(shop-911\): the provider does not send payment_intent\.succeeded, payment_intent\.proc/,
    cure: /callbackUrl/,
    settings: () => node.clusterNode({ APP_PROVIDER_STRIPE_URL: stripe.url }),
    plant: async () => {
      const sealer = new Sealer(parseKeyring(examinedKeys));
      const secrets = { apiKey: simulatedApiKey, webhookSecret: 'whsec_simulated' };
      const [apiKey, webhookSecret] = (['apiKey', 'webhookSecret'] as const).map((name) =>
        sealer.seal(secrets[name], channelSecretAssociatedData(0, 911, name)),
      );
      await node.db.query(
        `insert into channel (tenant_id, id, name, code, type, currencies, country, state, provider, livemode,
             api_key_sealed, webhook_secret_sealed, callback_token, created_at)
         values (0, 911, 'Shop', 'shop-911', 'ONLINE', '{USD}', 'US', true, 'stripe', false, $1, $2, 'token', now())`,
        [apiKey, webhookSecret],
      );
      const url = 'https://pay.example.com/api/callback/911/token';
      stripe.account.endpoints.push(newEndpoint({ url, enabled_events: neededEvents.slice(2) }));
      return () => node.db.query('delete from channel where id = 911');
    },
  },
  'a live channel with a test key': {
    check: 'channels hold API keys of their own mode',
    what: /^channel 901 \(shop-901, live\), 902 \(shop-902, test\) takes no new payments/,
    cure: /a key of its mode/,
    plant: async () => {
      const sealer = new Sealer(parseKeyring(examinedKeys));
      for (const [id, livemode, apiKey] of [
        [901, true, 'sk_test_1'],
        [902, false, 'rk_live_1'],
        [903, true, 'sk_live_1'],
      ] as const) {
        await node.db.query(
          `insert into channel (tenant_id, id, name, code, type, currencies, country, state, provider, livemode,
               api_key_sealed,
                                created_at)
           values (0, $1, 'Shop', $2, 'ONLINE', '{USD}', 'US', true, 'stripe', $3, $4, now())`,
          [id, `shop-${id}`, livemode, sealer.seal(apiKey, channelSecretAssociatedData(0, id, 'apiKey'))],
        );
      }
      return () => node.db.query('delete from channel where id > 900');
    },
  },
  'an invalid index': {
    check: 'every index is valid',
    what: /event_by_object/,
    cure: /reindex index concurrently event_by_object/,
    sql: [
      `update pg_index set indisvalid = false where indexrelid = 'event_by_object'::regclass`,
      `update pg_index set indisvalid = true where indexrelid = 'event_by_object'::regclass`,
    ],
  },
  'a table without autovacuum': {
    check: 'autovacuum keeps up',
    what: /off for table event/,
    cure: /reset \(autovacuum_enabled\)/,
    sql: ['alter table event set (autovacuum_enabled = false)', 'alter table event reset (autovacuum_enabled)'],
  },
  'work that nobody does': {
    check: 'no work is overdue',
    what: /charges, refunds or cancellations are due for more than 10 minutes/,
    cure: /app\.role/,
    sql: [
      `update provider_operation set due_at = due_at - interval '1 hour' where finished_at is null`,
      `update provider_operation set due_at = due_at + interval '1 hour' where finished_at is null`,
    ],
  },
};

test.each(Object.entries(defects))('%s is named with its cure, and nothing else', (_name, defect) =>
  node.expectOnly(defect),
);

test('an archive is named until there is a proven base backup and all is archived', async () => {
  const archive = join(node.folder, 'archive');
  const named = async () =>
    findingsOf(await examine(node.settingsOf({ APP_BACKUP_ARCHIVE: archive }), healthyMachine)).map(({ what }) => what);
  expect(await named()).toEqual([`${archive} does not exist: mount its disk, or make the folder`]);
  await mkdir(archive);
  const identity = { format: 1, systemIdentifier: '1', segmentBytes: 16_777_216, postgres: '18' } as const;
  const { path } = await ArchiveFolder.openFor(identity, archive, true);
  expect(await named()).toEqual([`there is no proven base backup in ${path}`]);
});
