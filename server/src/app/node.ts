import { type Clock, systemClock } from '../core/clock.ts';
import { uuidGenerator } from '../core/id.ts';
import { Admission } from '../platform/admission/admission.ts';
import { type Reports, WaitingWork } from '../platform/admission/waiting-work.ts';
import type { Key } from '../platform/crypto/keyring.ts';
import type { PasswordCost } from '../platform/crypto/passwords.ts';
import { Sealer } from '../platform/crypto/seal.ts';
import { mailerOf } from '../platform/mail/mailer.ts';
import { Metrics } from '../platform/metrics/metrics.ts';
import type { NodeWith } from '../platform/node.ts';
import { Bus } from '../platform/postgres/bus/bus.ts';
import { Notifications } from '../platform/postgres/bus/notifications.ts';
import { Caches } from '../platform/postgres/caches.ts';
import { describeHosts } from '../platform/postgres/connection/connection.ts';
import { PrimaryMonitor } from '../platform/postgres/connection/primary-monitor.ts';
import { Database, type Queryable } from '../platform/postgres/database.ts';
import { DatabaseClock } from '../platform/postgres/database-clock.ts';
import { LimitedDatabase } from '../platform/postgres/limited-database.ts';
import { PlanRenewal } from '../platform/postgres/plan-renewal.ts';
import { Replica, type ReplicaOptions } from '../platform/postgres/replica.ts';
import { diskSpaceAt } from '../platform/process/disk-space.ts';
import { failPointAt, noFailPoint } from '../platform/process/fail-point.ts';
import type { Lifecycle } from '../platform/process/lifecycle.ts';
import type { Log } from '../platform/process/log.ts';
import { OtherProcesses } from '../platform/process/other-processes.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import { type Archiver, addArchiveMetrics } from './backup/archive/archiver.ts';
import {
  concurrentLists,
  queueConnections,
  queueConnectionsOfChild,
  replicaConnections,
  workerConnections,
  workerConnectionsOfChild,
} from './config/connections.ts';
import { publicUrlOf } from './config/public-url.ts';
import type { Secrets } from './config/secrets.ts';
import type { Settings } from './config/settings.ts';
import type { OpenDatabase } from './open-database.ts';
import { Pools } from './pools.ts';
import type { ProcessGroup } from './processes/process-group.ts';

/** What a node is made from, apart from its database and its keys. */
export interface NodeOptions {
  settings: Settings;
  log: Log;
  clock: Clock;
  lifecycle: Lifecycle;
  /** Lower than recommended; for tests only. */
  passwordCost?: PasswordCost | undefined;
  /** Undefined: this is the only process of the node. */
  group?: ProcessGroup | undefined;
  tracing?: Tracing | undefined;
  /** Undefined without `app.backup.archive`. */
  archiver?: Archiver | undefined;
}

/**
 * Makes the infrastructure of a node, each part after those that it is made from. What runs is added to the lifecycle,
 * which stops it in reverse order.
 */
export function makeNode(
  opened: Pick<OpenDatabase, 'connection' | 'direct' | 'replica' | 'isOursAlone'>,
  secrets: Pick<Secrets, 'jwtKeys' | 'encryptionKeys'>,
  options: NodeOptions,
) {
  const { connection, isOursAlone } = opened;
  const { settings, log, lifecycle, passwordCost, group, tracing } = options;
  const logError = (error: unknown, message: string) => log.error({ error }, message);
  const isFirstProcess = group === undefined || group.number === 1;
  const metrics = new Metrics({ ofDatabase: isFirstProcess });
  group?.attach(metrics);
  const otherProcesses = group?.otherProcesses ?? new OtherProcesses();

  const pools = new Pools({
    connection,
    log,
    planGeneration: () => planRenewal.generation,
    onFull: () => primary.suspectFull(),
    onCommitted: (topics, invalidations) => bus.committed(topics, invalidations),
  });
  lifecycle.add('database', () => pools.close());
  pools.addMetrics(metrics);
  const database = pools.open('main', settings['app.database.connections']);
  const workerDatabase = pools.open('worker', isFirstProcess ? workerConnections : workerConnectionsOfChild, 'indexed');
  const queueDatabase = pools.open(
    'queue',
    isFirstProcess ? queueConnections : queueConnectionsOfChild,
    'indexed-kept',
  );
  const planRenewal = new PlanRenewal(workerDatabase);
  planRenewal.start();
  lifecycle.add('plan renewal', async () => planRenewal.stop());

  const { clock, databaseClock, onClockSetBack } = makeClock(options, workerDatabase);
  const primary = makePrimaryMonitor(opened, options, { pools, clock, databaseClock });
  if (isOursAlone && isFirstProcess) {
    addStorageMetrics(metrics, primary);
    addArchiveMetrics(metrics, options.archiver, clock);
  }

  const bus = makeBus(opened, options, {
    publisher: workerDatabase,
    onSilent: () => primary.suspect(),
    otherProcesses,
  });
  const { waitingWork, admission } = makeAdmission(bus, lifecycle, { hasOthers: !isOursAlone || group !== undefined });
  const listDatabase: Queryable = new LimitedDatabase({ database: workerDatabase, concurrency: concurrentLists });
  const replica = makeReplica(opened, options, metrics, {
    primary: workerDatabase,
    lists: listDatabase,
    snapshots: database,
  });
  const sealer = new Sealer(secrets.encryptionKeys);
  const failPoint = settings['app.drill.fail-point'];
  const node = {
    settings,
    log,
    logError,
    clock,
    generateUuid: uuidGenerator(clock),
    lifecycle,
    metrics,
    group,
    otherProcesses,
    tracing,
    mailer: mailerOf({
      url: settings['app.mail.url'],
      from: settings['app.mail.from'],
      dataDir: settings['app.data-dir'],
      log: (facts, message) => log.info(facts, message),
      clock,
    }),
    failPoint: failPoint === undefined ? noFailPoint : failPointAt(failPoint),
    database,
    queueDatabase,
    workerDatabase,
    listDatabase,
    replica,
    databaseHosts: describeHosts(connection),
    replicaHosts: opened.replica && describeHosts(opened.replica),
    openPool: (...pool: Parameters<Pools['open']>) => pools.open(...pool),
    pools,
    waitingWork,
    admission,
    primary,
    databaseClock,
    onClockSetBack,
    bus,
    caches: new Caches(bus),
    seal: (plain: string | Buffer, associatedData: string) => sealer.seal(plain, associatedData),
    openBytes: (sealed: Buffer, associatedData: string) => sealer.openBytes(sealed, associatedData),
    open: (sealed: Buffer, associatedData: string) => sealer.open(sealed, associatedData),
    isLost: (sealed: Buffer) => sealer.isLost(sealed),
    signingKeys: secrets.jwtKeys,
    /** Sets the key of event digests, which is known once the database is open. */
    useEventKey: (key: Key) => pools.useEventKey(key),
    passwordCost,
    failuresPerAddress: settings['app.rate-limit.failures-per-address'],
    deploymentMode: settings['app.deployment-mode'],
    sandboxEnabled: settings['app.sandbox.enabled'] === 'true',
    publicUrl: publicUrlOf(settings),
    backupExpectedMs: settings['app.backup.expected'],
    backupArchive: settings['app.backup.archive'],
    dataDir: settings['app.data-dir'],
  };
  return node satisfies NodeWith<Settings>;
}

/** The time of the database, of which all nodes have the same. A clock that a test controls is used as it is. */
function makeClock({ clock, log, lifecycle }: NodeOptions, database: Database) {
  const setBackHandlers: (() => Promise<void>)[] = [];
  /** Registers a handler that runs whenever the database's clock was set back. */
  const onClockSetBack = (handle: () => Promise<void>): void => {
    setBackHandlers.push(handle);
  };
  if (clock !== systemClock) return { clock, databaseClock: undefined, onClockSetBack };
  const databaseClock = new DatabaseClock({
    database,
    clock,
    onApart: (aheadMs) =>
      log.warn({ aheadMs }, "This machine's clock and the database's differ; the database's is used"),
    onSetBack: (isRepeated) => {
      if (!isRepeated) log.warn("The database's clock was set back");
      for (const handle of setBackHandlers) {
        handle().catch((error: unknown) =>
          log.error({ error }, 'Due times could not be shortened after the clock was set back'),
        );
      }
    },
  });
  lifecycle.add('clock', async () => databaseClock.stop());
  return { clock: databaseClock.now, databaseClock, onClockSetBack };
}

interface PrimaryParts {
  pools: Pools;
  clock: Clock;
  databaseClock: DatabaseClock | undefined;
}

function makePrimaryMonitor(
  { connection, isOursAlone }: Pick<OpenDatabase, 'connection' | 'isOursAlone'>,
  { settings, log, lifecycle }: NodeOptions,
  { pools, clock, databaseClock }: PrimaryParts,
): PrimaryMonitor {
  const primary = new PrimaryMonitor({
    connection,
    pools: () => pools.byName.values(),
    clock,
    ...(isOursAlone && { room: () => diskSpaceAt(settings['app.data-dir']) }),
    onLost: (reason, error) => log.warn({ error, reason }, 'There is no writable database'),
    onFound: () => log.info('There is a writable database again'),
    onTime: (reading) => databaseClock?.observe(reading),
  });
  lifecycle.add('primary monitor', () => primary.stop());
  return primary;
}

interface BusParts {
  publisher: Database;
  onSilent: () => void;
  otherProcesses: OtherProcesses;
}

function makeBus(
  { direct, isOursAlone }: Pick<OpenDatabase, 'direct' | 'isOursAlone'>,
  { log, lifecycle, group }: NodeOptions,
  { publisher, onSilent, otherProcesses }: BusParts,
): Bus {
  const notifications = new Notifications({
    connection: direct,
    publisher,
    isDirect: isOursAlone,
    onLost: (error) =>
      log.warn({ error }, 'Notifications from other nodes are disconnected; caches are off until they return'),
    onSilent,
  });
  // With the embedded database the other processes are told without a transaction, which costs as much as a batch of
  // payments.
  const ofThisNode = group === undefined ? undefined : otherProcesses.carrier;
  const bus = new Bus({
    notifications,
    carrier: isOursAlone ? ofThisNode : notifications,
    onError: (error) => log.error({ error }, 'The other processes were not told of work'),
  });
  lifecycle.add('bus', () => bus.stop());
  return bus;
}

/** Undefined without `app.database.replica-url`. */
function makeReplica(
  { replica: connection }: Pick<OpenDatabase, 'replica'>,
  { settings, log, lifecycle }: NodeOptions,
  metrics: Metrics,
  primary: Pick<ReplicaOptions, 'primary' | 'lists' | 'snapshots'>,
): Replica | undefined {
  if (connection === undefined) return undefined;
  const database = new Database({
    connection,
    connections: replicaConnections,
    name: 'replica',
    plans: 'indexed',
    onIdleError: (error) => log.warn({ error, pool: 'replica' }, 'A database connection was lost'),
  });
  lifecycle.add('replica', () => database.close());
  const reads = metrics.counter(
    'florin_replica_reads_total',
    'Reads that the replica might answer, by result: `replica` did; `behind` and `failed` went to the primary.',
    ['result'],
  );
  const replica = new Replica({
    ...primary,
    replica: database,
    waitMs: settings['app.database.replica-wait'],
    onRead: (result) => reads.inc({ result }),
  });
  return replica;
}

function makeAdmission(bus: Bus, lifecycle: Lifecycle, { hasOthers }: { hasOthers: boolean }) {
  const waitingWork = new WaitingWork(reportsBy(bus));
  if (hasOthers) waitingWork.start();
  const admission = new Admission({ oldestWaitMs: () => waitingWork.oldestWaitMs });
  lifecycle.add('admission', async () => {
    waitingWork.stop();
    admission.stop();
  });
  return { waitingWork, admission };
}

/** What waits in this process, for all others that use the database, and the reverse. */
function reportsBy(bus: Bus): Reports {
  const name = 'waiting-work';
  return {
    send: (waitMs) => bus.send(name, String(waitMs)),
    listen: (listener) => bus.onMessage(name, (waitMs) => listener(Number(waitMs))),
  };
}

function addStorageMetrics(metrics: Metrics, primary: Pick<PrimaryMonitor, 'room'>): void {
  metrics.gauge(
    'florin_storage_bytes',
    'The disk of the embedded PostgreSQL by state (free, used). Absent where the database is elsewhere.',
    async (gauge) => {
      if (primary.room === undefined) return;
      const { free, total } = primary.room;
      gauge.set({ state: 'free' }, free);
      gauge.set({ state: 'used' }, total - free);
    },
    ['state'],
  );
}
