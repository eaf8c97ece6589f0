import type { Clock } from '../core/clock.ts';
import type { GenerateUuid } from '../core/id.ts';
import type { Admission } from './admission/admission.ts';
import type { WaitingWork } from './admission/waiting-work.ts';
import type { Keyring } from './crypto/keyring.ts';
import type { PasswordCost } from './crypto/passwords.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Bus } from './postgres/bus/bus.ts';
import type { Caches } from './postgres/caches.ts';
import type { Plans } from './postgres/connection/session-settings.ts';
import type { Database, Queryable } from './postgres/database.ts';
import type { DatabaseClock } from './postgres/database-clock.ts';
import type { Replica } from './postgres/replica.ts';
import type { FailPoint } from './process/fail-point.ts';
import type { Lifecycle } from './process/lifecycle.ts';
import type { Log } from './process/log.ts';
import type { OtherProcesses } from './process/other-processes.ts';
import type { Tracing } from './tracing/tracing.ts';

/** What a running node offers every module: infrastructure, made by `app/node.ts` before the first module. */
export interface Node {
  log: Log;
  /** Logs a failure that no caller learns of, such as a mail that could not be sent. */
  logError: (error: unknown, message: string) => void;
  clock: Clock;
  generateUuid: GenerateUuid;
  lifecycle: Lifecycle;
  metrics: Metrics;
  /** The other processes of this node, which share the limits that are counted in memory. */
  otherProcesses: OtherProcesses;
  /** Undefined unless `app.tracing.endpoint` is set. */
  tracing: Tracing | undefined;
  mailer: Mailer;
  /** Points at which fault tests end the process; does nothing in production. */
  failPoint: FailPoint;

  /** For requests. */
  database: Database;
  /**
   * For statements that run hundreds of times a second: of charges and deliveries, and look-ups of payments. They find
   * rows by index, and their plans are kept.
   */
  queueDatabase: Database;
  /** For other background work, with plans that find it by index. Requests never wait for it. */
  workerDatabase: Database;
  /** For lists that scan thousands of rows: few at once, so that neither payments nor workers wait for them. */
  listDatabase: Queryable;
  /** The standby of `app.database.replica-url`; undefined: there is none. */
  replica: Replica | undefined;
  /** The servers of the database and of the replica for messages, without account and password. */
  databaseHosts: string;
  replicaHosts: string | undefined;
  /** Undefined with a clock that a test controls. */
  databaseClock: DatabaseClock | undefined;
  /** Opens a further pool, closed with the others. */
  openPool: (name: string, connections: number, plans?: Plans) => Database;
  /** Admits writes that make events, as fast as the machine keeps up with what they cause. */
  admission: Admission;
  /** What admission watches: how long work of this process has waited for it. */
  waitingWork: WaitingWork;
  /** Tells workers that a commit has made work due, and caches that a record was changed. */
  bus: Bus;
  /** Makes caches of records, whose entries every node drops when they change. */
  caches: Caches;

  /** Seals a secret with associated data that say where it is stored; it opens with the same alone. */
  seal: (plain: string | Buffer, associatedData: string) => Buffer;
  openBytes: (sealed: Buffer, associatedData: string) => Buffer;
  open: (sealed: Buffer, associatedData: string) => string;
  /** Whether a sealed value is given up, because its key is declared lost (`app.encryption.keys`). */
  isLost: (sealed: Buffer) => boolean;
  /** Keys that sign and verify tokens. */
  signingKeys: Keyring;
  /** Lower than recommended in tests only. */
  passwordCost: PasswordCost | undefined;
  /**
   * Failures allowed from one address in 15 minutes where no credentials are needed
   * (`app.rate-limit.failures-per-address`).
   */
  failuresPerAddress: number;

  /** `app.deployment-mode`. */
  deploymentMode: 'STANDALONE' | 'CLUSTER';
  /** How browsers and providers reach this service, without a slash at the end (`app.public-url`). */
  publicUrl: string;
  /** Whether channels may name the sandbox (`app.sandbox.enabled`). */
  sandboxEnabled: boolean;
  /** How old the last proven backup may be (`app.backup.expected`); 0: none is expected. */
  backupExpectedMs: number;
  /** `app.backup.archive`. */
  backupArchive: string | undefined;
  /** `app.data-dir`. */
  dataDir: string;
}

/** A node together with the settings that a module has declared. */
export type NodeWith<Settings> = Node & { settings: Settings };
