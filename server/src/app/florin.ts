import { ensureAdministrator, type FirstAdministrator } from '../domains/users/first-administrator.ts';
import { sweepExpired } from '../domains/users/sweep.ts';
import { sweepKeptAnswers } from '../platform/postgres/kept-answers.ts';
import { Lifecycle } from '../platform/process/lifecycle.ts';
import type { Log } from '../platform/process/log.ts';
import { type Clock, minuteMs, systemClock } from '../vocabulary/clock.ts';
import { openDatabase } from './open-database.ts';
import { assemble, type Parts, type Surroundings } from './parts.ts';
import { secretsOf } from './secrets.ts';
import { serve } from './serve.ts';
import type { Settings } from './settings.ts';

const sweepEveryMs = 60 * minuteMs;

export interface Florin {
  /** Where it listens: http://127.0.0.1:8080. */
  address: string;
  administrator: FirstAdministrator;
  settings: Settings;
  /** Drains requests and deliveries, then stops PostgreSQL. Safe to call twice. */
  stop: () => Promise<void>;
}

/** Starts a node, in order: keys, database, parts, workers, routes. What has been started is stopped if one fails. */
export async function startFlorin(settings: Settings, log: Log, clock: Clock = systemClock): Promise<Florin> {
  const lifecycle = new Lifecycle((part, error) => log.error({ error, part }, 'A part did not stop as it should'));
  try {
    return await start({ settings, log, clock, lifecycle });
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

async function start(surroundings: Surroundings): Promise<Florin> {
  const { settings, log, lifecycle } = surroundings;
  const secrets = await secretsOf(settings);
  const { connection, stop: stopDatabase } = await openDatabase(settings, log);
  lifecycle.add('postgres', stopDatabase);

  const parts = assemble(connection, secrets, surroundings);
  const administrator = await firstAdministrator(parts);
  await parts.notifications.start();
  if (settings['app.role'] !== 'api') startWorkers(parts);

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

function startWorkers({ folder, deliveries, database, clock, logError, lifecycle }: Parts): void {
  folder.start();
  lifecycle.add('totals', () => folder.stop());
  deliveries.start();
  lifecycle.add('deliveries', () => deliveries.stop());

  let sweeping: Promise<unknown> = Promise.resolve();
  const sweeper = setInterval(() => {
    sweeping = Promise.all([sweepExpired(database, clock), sweepKeptAnswers(database, clock())]).catch((error) =>
      logError(error, 'What has expired could not be removed'),
    );
  }, sweepEveryMs);
  lifecycle.add('sweeper', async () => {
    clearInterval(sweeper);
    await sweeping;
  });
}
