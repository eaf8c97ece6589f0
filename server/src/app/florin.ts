import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '../core/clock.ts';
import {
  ensureAdministrator,
  type FirstAdministrator,
  FirstAdministratorError,
} from '../domains/identity/users/first-administrator.ts';
import { ensureInvitedAdministrator } from '../domains/identity/users/first-invitation.ts';
import { warnOfKeysOfOtherMode } from '../domains/payments/channels/key-mode.ts';
import type { PasswordCost } from '../platform/crypto/passwords.ts';
import { Lifecycle } from '../platform/process/lifecycle.ts';
import type { Log } from '../platform/process/log.ts';
import { assemble, type Context } from './assemble.ts';
import { requireKeysInUse, type Secrets, secretsOf } from './config/secrets.ts';
import { type Settings, SettingsError } from './config/settings.ts';
import { loadEventKey } from './event-key.ts';
import { requireFreePort } from './http/free-port.ts';
import { StartInterrupted, Waiting } from './http/waiting.ts';
import type { NodeOptions } from './node.ts';
import { type OpenDatabase, prepareDatabase } from './open-database.ts';
import { ChildProcesses } from './processes/child-processes.ts';
import type { Assignment } from './processes/messages.ts';
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
 * Starts a node, in this order: port, keys, database, services, workers, routes. Its further processes prepare
 * meanwhile, and all processes listen at the same time. When a step fails, the parts already started are stopped. While
 * the database of `app.database.url` cannot be reached the start waits, with the port open and the reason in
 * `/health/ready`.
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

async function start(given: NodeOptions, processes: number, signal: AbortSignal): Promise<Florin> {
  const { log, lifecycle } = given;
  const port = await requireFreePort(given.settings);
  const children = processes === 1 ? undefined : new ChildProcesses({ count: processes - 1, log });
  // All processes listen on one port, so 0 is decided here.
  const settings = children === undefined ? given.settings : { ...given.settings, 'app.server.port': port };
  const options: NodeOptions = { ...given, settings, group: children };
  const secrets = await secretsOf(settings, log);
  const tracing = await tracingOf(settings, log);
  if (tracing !== undefined) lifecycle.add('tracing', tracing.stop);
  children?.start();
  lifecycle.add('processes', async () => children?.stop());
  const waiting = new Waiting({ settings, log, signal, reusePort: children !== undefined });
  lifecycle.add('waiting', () => waiting.stop());
  const database = await prepareDatabase(settings, log);
  lifecycle.add('postgres', database.stop);
  const opening = database.open(waiting);
  // A failure is thrown where this is awaited.
  opening.catch(() => {});
  // The embedded PostgreSQL, or initdb, has been launched by the next turn: loading this takes as long as its start.
  const loading = nextTurn().then(() => import('./http/serve.ts'));
  let isStopping = false;
  const prepare = async () =>
    (await loading).prepareServer(context, { isStopping: () => isStopping, waiting: waiting.server });

  const context = assemble(database, secrets, { ...options, tracing });
  // A database that exists is open sooner than the routes are added: starts on one got 4 % longer.
  const prepared = database.isNew ? await prepare() : undefined;
  await opening;
  await context.primary.start();
  await waiting.forDatabase(database.hosts, async () => context.databaseClock?.read());
  const administrator = await waiting.forDatabase(database.hosts, async () => {
    await requireKeysInUse(secrets, context.database, context.clock(), log);
    await loadEventKey(context);
    return firstAdministrator(context);
  });
  children?.assign(assignmentOf(settings, secrets, database));
  await context.notifications.start();
  await warnOfKeysOfOtherMode(context.database, context, (facts, message) => log.warn(facts, message));
  const workers = workersOf(context);
  if (database.isOursAlone) await freeDeadLeases(workers);
  if (settings['app.role'] !== 'api') {
    await shortenWaitsAfterSetBack(workers);
    startWorkers(workers, context);
  }

  const listen = prepared ?? (await prepare());
  await children?.listen();
  // PostgreSQL may have died meanwhile, and the start waited for it.
  if (prepared !== undefined) await waiting.stop();
  const address = await listen();
  // Stopped first: this process serves what the others do not accept any more.
  lifecycle.add('processes', async () => children?.stop());
  log.info({ address, role: settings['app.role'], mode: settings['app.deployment-mode'] }, 'Ready');
  return {
    address,
    administrator,
    settings,
    stop: () => {
      isStopping = true;
      return lifecycle.stop();
    },
  };
}

function assignmentOf(
  settings: Settings,
  { jwtKeys, encryptionKeys }: Secrets,
  { connection }: OpenDatabase,
): Omit<Assignment, 'number'> {
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
