import { resolve } from 'node:path';
import { minuteMs } from '../../../core/clock.ts';
import { subscriptionDue } from '../../../domains/billing/subscriptions/statements.ts';
import { callbackDue } from '../../../domains/payments/callbacks/statements.ts';
import { channelsWithKeyOfOtherMode } from '../../../domains/payments/channels/key-mode.ts';
import type { SecretOpener } from '../../../domains/payments/channels/secrets.ts';
import { operationDue } from '../../../domains/payments/operation-queue/claim.cte.ts';
import { discrepancyDue } from '../../../domains/payments/operations/discrepancies/statements.ts';
import { countBacklog } from '../../../domains/webhooks/deliveries/statements.ts';
import { endpointSecretAssociatedData } from '../../../domains/webhooks/endpoints/directory.ts';
import { verifiesElsewhere } from '../../../domains/webhooks/endpoints/signature.ts';
import { listLegacySecrets } from '../../../domains/webhooks/endpoints/statements.ts';
import { Sealer } from '../../../platform/crypto/seal.ts';
import { migrationState } from '../../../platform/postgres/migrate.ts';
import { ArchiveFolder } from '../../backup/archive/archive-folder.ts';
import { type Base, basesIn } from '../../backup/archive/base-manifest.ts';
import { isBehind } from '../../backup/archive/health.ts';
import { logAfter } from '../../backup/archive/replay.ts';
import { version } from '../../cli/version.ts';
import { existingEncryptionKeys, requireExistingKeys } from '../../config/secrets.ts';
import { type DatabaseCheck, findingOf } from '../check.ts';
import { isDue, listIdleSlots, listInvalidIndexes, listUnvacuumed, readTransactionAge } from '../statements.ts';

const megabyte = 1024 ** 2;

export const migrations: DatabaseCheck = {
  name: 'the schema is that of this version',
  checkDatabase: async ({ direct }) => {
    const { pending, unknown } = await migrationState(direct);
    if (unknown.length > 0) {
      return {
        what: `the database was migrated by a newer Florin than ${version} (${unknown.join(', ')})`,
        cure: 'update this node to that version',
      };
    }
    if (pending.length === 0) return undefined;
    return {
      what: `migrations are missing: ${pending.join(', ')}`,
      cure: 'start a node of this version, which runs them; florin rehearse tells beforehand how long they take',
    };
  },
};

export const encryptionKeys: DatabaseCheck = {
  name: 'the encryption keys open what is stored',
  checkDatabase: async ({ settings, database, machine }) => {
    try {
      await requireExistingKeys(settings, database, machine.now());
      return undefined;
    } catch (error) {
      return findingOf(error, 'see docs/guides/operations.md, "Lost keys"');
    }
  },
};

const namedAtMost = 10;

export const webhookSecrets: DatabaseCheck = {
  name: 'every library of Standard Webhooks verifies what endpoints are sent',
  checkDatabase: async ({ settings, database }) => {
    const rows = await database.run(listLegacySecrets);
    if (rows.length === 0) return undefined;
    const sealer = new Sealer(await existingEncryptionKeys(settings));
    const ids = rows
      .filter(({ secret_sealed }) => !sealer.isLost(secret_sealed))
      .filter(({ tenant_id, id, secret_sealed }) => {
        return !verifiesElsewhere(sealer.open(secret_sealed, endpointSecretAssociatedData(tenant_id, id)));
      })
      .map(({ id }) => id);
    if (ids.length === 0) return undefined;
    const named = ids.slice(0, namedAtMost).join(', ') + (ids.length > namedAtMost ? ' and others' : '');
    return {
      what:
        `the secrets of webhook endpoints ${named} begin with whsec_ and are not padded base64; ` +
        'Florin signs with their bytes, and libraries of Standard Webhooks do not',
      cure: 'change each secret by POST /api/webhook/rotate, together with its receiver',
    };
  },
};

export const channelKeys: DatabaseCheck = {
  name: 'channels hold API keys of their own mode',
  checkDatabase: async ({ settings, database }) => {
    const sealer = new Sealer(await existingEncryptionKeys(settings));
    const secrets: SecretOpener = {
      open: (sealed, associatedData) => sealer.open(sealed, associatedData),
      isLost: (sealed) => sealer.isLost(sealed),
    };
    const channels = await channelsWithKeyOfOtherMode(database, secrets);
    if (channels.length === 0) return undefined;
    const names = channels.map(({ id, code, livemode }) => `${id} (${code}, ${livemode ? 'live' : 'test'})`).join(', ');
    return {
      what: `channel ${names} takes no new payments, because its API key is of the provider's other mode`,
      cure: 'give it a key of its mode, or switch it off and make a channel of the mode of its key',
    };
  },
};

export const indexes: DatabaseCheck = {
  name: 'every index is valid',
  checkDatabase: async ({ database }) => {
    const names = (await database.run(listInvalidIndexes)).map(({ name }) => name);
    if (names.length === 0) return undefined;
    return {
      what: `${names.join(', ')} cannot be used by queries`,
      cure: names.map((name) => `reindex index concurrently ${name}`).join('; '),
    };
  },
};

const deadRowsThatMatter = 100_000;
/** PostgreSQL begins to freeze at 200 million by itself, and stops writing at 2,000 million. */
const oldestTransactionAge = 1_000_000_000;

export const autovacuum: DatabaseCheck = {
  name: 'autovacuum keeps up',
  checkDatabase: async ({ database, server }) => {
    if (server.autovacuum === 'off') {
      return {
        what: 'autovacuum is off: tables grow without end',
        cure: "alter system set autovacuum = 'on', and reload",
      };
    }
    const [worst] = await database.run(listUnvacuumed, [deadRowsThatMatter]);
    if (worst !== undefined) {
      const { name, is_off: isOff, dead } = worst;
      return isOff
        ? { what: `autovacuum is off for table ${name}`, cure: `alter table ${name} reset (autovacuum_enabled)` }
        : {
            what: `table ${name} has ${dead} dead rows, more than live ones`,
            cure: `end transactions that are open for hours (pg_stat_activity), then vacuum ${name}`,
          };
    }
    const [row] = await database.run(readTransactionAge);
    if ((row?.age ?? 0) < oldestTransactionAge) return undefined;
    return {
      what:
        `the oldest row that is not frozen is ${row?.age} transactions old; at 2 thousand million PostgreSQL ` +
        'stops writing',
      cure: 'end transactions that are open for days, remove unused replication slots, then vacuum (freeze)',
    };
  },
};

export const replicationSlots: DatabaseCheck = {
  name: 'no replication slot without a reader keeps write-ahead log',
  checkDatabase: async ({ database }) => {
    const [slot] = await database.run(listIdleSlots);
    if (slot === undefined) return undefined;
    const size = slot.bytes === null ? '' : ` (${Math.floor(slot.bytes / megabyte)} MB so far)`;
    return {
      what:
        `nobody reads replication slot ${slot.name}: the server keeps its write-ahead log until the disk is ` +
        `full${size}`,
      cure: `start its reader, or select pg_drop_replication_slot('${slot.name}')`,
    };
  },
};

export const embeddedArchive: DatabaseCheck = {
  name: 'the embedded PostgreSQL can be restored to any second',
  checkDatabase: async ({ settings, machine }) => {
    const path = settings['app.backup.archive'];
    if (path === undefined) return { skipped: 'app.backup.archive is not set' };
    const folder = await ArchiveFolder.open(resolve(path)).catch((error: Error) => error);
    if (folder instanceof Error) {
      return { what: folder.message.replace(/\.$/, ''), cure: 'mount its disk; the log of the service says more' };
    }
    const bases = await basesIn(folder.path, () => {});
    const [oldest] = bases.filter(({ manifest }) => manifest.broken.length === 0);
    if (oldest === undefined) {
      return { what: `there is no proven base backup in ${folder.path}`, cure: `florin backup ${folder.path}` };
    }
    const coverage = await folder.coverage();
    const until = coverage?.until;
    if (isBehind(coverage, machine.now())) {
      return {
        what: `nothing was archived to ${folder.path} since ${until ?? 'the archive was begun'}`,
        cure: 'the log of the service says why; make room on its disk, or mount it',
      };
    }
    const { missing } = await logAfter(folder, bases.at(-1) as Base);
    if (missing === undefined) return { fact: `any second from ${oldest.manifest.takenAt} to ${until}` };
    return {
      what: `segment ${missing} is missing in ${folder.path}: nothing after it can be restored`,
      cure: `florin backup ${folder.path}`,
    };
  },
};

/** Due work is claimed within seconds, also when its node has died (leases last less than a minute). */
const stuckAfterMs = 10 * minuteMs;

/** Work that workers claim by its due time, by what it is called in a finding. */
const works: readonly [what: string, due: string][] = [
  ['charges, refunds or cancellations', operationDue],
  ['callbacks of providers', callbackDue],
  ['look-ups of discrepancies', discrepancyDue],
  ['renewals', subscriptionDue],
];

export const dueWork: DatabaseCheck = {
  name: 'no work is overdue',
  checkDatabase: async ({ database, machine }) => {
    const atMs = machine.now() - stuckAfterMs;
    const stuck: string[] = [];
    for (const [what, due] of works) {
      const [row] = await database.run(isDue(due), [atMs]);
      if (row?.due) stuck.push(what);
    }
    const [backlog] = await database.run(countBacklog, [machine.now()]);
    if (backlog?.oldest_ms && backlog.oldest_ms < atMs) stuck.push('webhook deliveries');
    if (stuck.length === 0) return undefined;
    return {
      what: `${stuck.join(' and ')} are due for more than 10 minutes`,
      cure: 'start a node with app.role all or worker; if one runs, its log says what its workers wait for',
    };
  },
};
