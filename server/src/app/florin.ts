import { type Clock, systemClock } from '../core/clock.ts';
import {
  ensureAdministrator,
  type FirstAdministrator,
  FirstAdministratorError,
} from '../domains/identity/users/first-administrator.ts';
import { ensureInvitedAdministrator } from '../domains/identity/users/first-invitation.ts';
import { warnOfKeysOfOtherMode } from '../domains/payments/channels/key-mode.ts';
import type { PasswordCost } from '../platform/crypto/passwords.ts';
import { knownMigrations } from '../platform/postgres/migrate.ts';
import { Lifecycle } from '../platform/process/lifecycle.ts';
import type { Log } from '../platform/process/log.ts';
import { assemble, type Context } from './assemble.ts';
import { archiverOf } from './backup/archive/archiver-of.ts';
import { requireKeysInUse, type Secrets, secretsOf } from './config/secrets.ts';
import { type Settings, SettingsError } from './config/settings.ts';
import { loadEventKey } from './event-key.ts';
import { requireFreePort } from './http/free-port.ts';
import { prepareServer } from './http/serve.ts';
import { StartInterrupted, Waiting } from './http/waiting.ts';
import type { NodeOptions } from './node.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import { ChildProcesses } from './processes/child-processes.ts';
import type { SharedAssignment } from './processes/messages.ts';
import { Heartbeat, keyDigestOf } from './system/heartbeat.ts';
import { tracingOf } from './tracing.ts';
import { freeDeadLeases, shortenWaitsAfterSetBack, startWorkers, workersOf } from './workers.ts';

export interface Florin {
  /** The URL it listens on, such as http://127.0.0.1:8080. */
  address: string;
  administrator: FirstAdministrator;
  settings: Settings;
  /** Finishes requests and deliveries in flight, then stops PostgreSQL. Safe to call twice. */
  stop: () => Promise<void>;
}

export interface StartOptions {
  clock?: Clock;
  passwordCost?: PasswordCost;
  /**
   * Whether `app.processes` holds. Without it the node is one process, as tests that run it in their own process need.
   */
  mayFork?: boolean;
  /** Abort it to end a start that waits for its database; the start then fails with StartInterrupted. */
  signal?: AbortSignal;
}

/**
 * Starts a node. When a step fails, the parts already started are stopped. While the database of `app.database.url`
 * cannot be reached the start waits, with the port open and the reason in `/health/ready`.
 */
export async function startFlorin(
  settings: Settings,
  log: Log,
  { clock = systemClock, passwordCost, mayFork = false, signal = new AbortController().signal }: StartOptions = {},
): Promise<Florin> {
  const lifecycle = new Lifecycle((part, error) => log.error({ error, part }, 'A part failed to stop'));
  try {
    const processes = mayFork ? settings['app.processes'] : 1;
    return await start({ settings, log, clock, lifecycle, passwordCost }, processes, signal);
  } catch (error) {
    await lifecycle.stop();
    throw signal.aborted ? new StartInterrupted() : error;
  }
}

/** The steps of a start, in order. Each part that runs is added to the lifecycle, which stops them in reverse order. */
async function start(given: NodeOptions, processes: number, signal: AbortSignal): Promise<Florin> {
  const { log, lifecycle } = given;
  const children = processes === 1 ? undefined : new ChildProcesses({ count: processes - 1, log });

  // 1. What may refuse the start before anything is made.
  const port = await requireFreePort(given.settings);
  // All processes listen on one port, so 0 is decided here.
  const settings = children === undefined ? given.settings : { ...given.settings, 'app.server.port': port };
  const secrets = await secretsOf(settings, log);
  const tracing = await tracingOf(settings, log);
  if (tracing !== undefined) lifecycle.add('tracing', tracing.stop);

  // 2. The database, with the schema of this version.
  const waiting = new Waiting({ settings, log, signal, reusePort: children !== undefined });
  lifecycle.add('waiting', () => waiting.stop());
  const database = await openDatabase(settings, log, waiting);
  lifecycle.add('postgres', database.stop);
  const archiver = await archiverOf(database, { settings, log, clock: given.clock });
  if (archiver !== undefined) lifecycle.add('archive', () => archiver.stop());

  // 3. The services of all modules.
  const context = assemble(database, secrets, { ...given, settings, group: children, tracing, archiver });
  await context.primary.start();
  await waiting.forDatabase(database.hosts, async () => context.databaseClock?.read());
  const administrator = await waiting.forDatabase(database.hosts, () => prepareData(context, secrets));
  await context.bus.start();

  // 4. What works by itself.
  const workers = workersOf(context);
  if (database.isOursAlone) await freeDeadLeases(workers);
  if (settings['app.role'] !== 'api') {
    await shortenWaitsAfterSetBack(workers);
    startWorkers(workers, context);
  }

  // 5. Requests. The other processes are stopped before this one, which serves what they do not accept any more.
  const listen = await prepareServer(context, waiting.server);
  lifecycle.add('processes', async () => children?.stop());
  await children?.start(assignmentOf(settings, secrets, database));
  const address = await listen();
  await noteNode(context, database, secrets, { port: Number(new URL(address).port), processes });
  log.info({ address, role: settings['app.role'], mode: settings['app.deployment-mode'] }, 'Ready');
  return { address, administrator, settings, stop: () => lifecycle.stop() };
}

/** Notes in the database that this node runs, until it stops. */
async function noteNode(
  context: Context,
  { isOursAlone }: OpenDatabase,
  { jwtKeys, encryptionKeys }: Secrets,
  { port, processes }: { port: number; processes: number },
): Promise<void> {
  const heartbeat = new Heartbeat({
    ...context,
    database: context.workerDatabase,
    isOursAlone,
    port,
    processes,
    role: context.settings['app.role'],
    migration: (await knownMigrations()).at(-1) as string,
    keyDigest: keyDigestOf(jwtKeys, encryptionKeys),
  });
  context.lifecycle.add('heartbeat', () => heartbeat.stop());
  await heartbeat.start();
}

/** Checks that the keys open what is stored, and makes what a new database lacks. */
async function prepareData(context: Context, secrets: Secrets): Promise<FirstAdministrator> {
  const { log } = context;
  await requireKeysInUse(secrets, context.database, context.clock(), log);
  await loadEventKey(context);
  await warnOfKeysOfOtherMode(context.database, context, (facts, message) => log.warn(facts, message));
  return firstAdministrator(context);
}

function assignmentOf(
  settings: Settings,
  { jwtKeys, encryptionKeys }: Secrets,
  { connection }: OpenDatabase,
): SharedAssignment {
  return {
    settings,
    jwtKeys: jwtKeys.toText(),
    encryptionKeys: encryptionKeys.toText(),
    connection: settings['app.database.url'] === undefined ? connection : undefined,
  };
}

async function firstAdministrator(context: Context): Promise<FirstAdministrator> {
  const { settings } = context;
  const deps = { ...context, account: settings['app.admin.account'], dataDir: settings['app.data-dir'] };
  const ensured = context.isStrict
    ? ensureInvitedAdministrator(deps)
    : ensureAdministrator({
        ...deps,
        password: settings['app.admin.password'],
        passwordMinLength: settings['app.password.min-length'],
      });
  return ensured.catch((error: unknown) => {
    throw error instanceof FirstAdministratorError ? new SettingsError(error.message) : error;
  });
}
