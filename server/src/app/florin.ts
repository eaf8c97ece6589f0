import { ensureAdministrator, type FirstAdministrator } from '../domains/users/first-administrator.ts';
import type { PasswordCost } from '../platform/crypto/passwords.ts';
import { Lifecycle } from '../platform/process/lifecycle.ts';
import type { Log } from '../platform/process/log.ts';
import { type Clock, systemClock } from '../vocabulary/clock.ts';
import { openDatabase } from './open-database.ts';
import { assemble, type Parts, type Surroundings } from './parts.ts';
import { secretsOf } from './secrets.ts';
import { serve } from './serve.ts';
import type { Settings } from './settings.ts';
import { freeDeadLeases, startWorkers } from './workers.ts';

export interface Florin {
  /** Where it listens: http://127.0.0.1:8080. */
  address: string;
  administrator: FirstAdministrator;
  settings: Settings;
  /** Drains requests and deliveries, then stops PostgreSQL. Safe to call twice. */
  stop: () => Promise<void>;
}

/** Starts a node, in order: keys, database, parts, workers, routes. What has been started is stopped if one fails. */
export async function startFlorin(
  settings: Settings,
  log: Log,
  { clock = systemClock, passwordCost }: { clock?: Clock; passwordCost?: PasswordCost } = {},
): Promise<Florin> {
  const lifecycle = new Lifecycle((part, error) => log.error({ error, part }, 'A part did not stop as it should'));
  try {
    return await start({ settings, log, clock, lifecycle, passwordCost });
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

async function start(surroundings: Surroundings): Promise<Florin> {
  const { settings, log, lifecycle } = surroundings;
  const secrets = await secretsOf(settings);
  const { connection, isOursAlone, stop: stopDatabase } = await openDatabase(settings, log);
  lifecycle.add('postgres', stopDatabase);

  const parts = assemble(connection, secrets, surroundings);
  await parts.databaseClock?.start();
  const administrator = await firstAdministrator(parts);
  await parts.notifications.start();
  if (isOursAlone) await freeDeadLeases(parts);
  if (settings['app.role'] !== 'api') {
    // The clock may have been set back while no node was running.
    await parts.bringForward();
    startWorkers(parts);
  }

  let isStopping = false;
  const address = await serve(parts, () => isStopping);
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

async function firstAdministrator({ database, passwords, clock, settings, log }: Parts): Promise<FirstAdministrator> {
  const administrator = await ensureAdministrator({
    database,
    passwords,
    clock,
    account: settings['app.admin.account'],
    password: settings['app.admin.password'],
    passwordMinLength: settings['app.password.min-length'],
    dataDir: settings['app.data-dir'],
  });
  if (administrator.commonPassword) log.warn('app.admin.password is one of the commonest; change it');
  return administrator;
}
