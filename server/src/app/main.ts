import { openLog } from '../platform/process/log.ts';
import { answerArguments, startUsage } from './arguments.ts';
import { givenSettings } from './given-settings.ts';
import { type Settings, SettingsError } from './settings.ts';

/** How long a stop may take before the process ends all the same. Deliveries in flight have 12 s. */
const stopDeadlineMs = 30_000;

const answered = answerArguments(process.argv.slice(2), startUsage);
if (answered === undefined) await main();
else process.exitCode = answered;

async function main(): Promise<void> {
  const settings = settingsOrEnd();
  const log = openLog(settings['app.log.level']);
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'A defect ended the process; what was acknowledged is safe');
    process.exit(1);
  });
  const { startFlorin } = await import('./florin.ts');
  const { welcome } = await import('./welcome.ts');
  const { StartInterrupted } = await import('./waiting.ts');
  const interruption = new AbortController();
  const starting = startFlorin(settings, log, { signal: interruption.signal });
  // From the beginning: a start that is interrupted is finished and then stopped, so that no PostgreSQL is left behind. One
  // that waits for its database has nothing to finish.
  stopOnSignal(async () => {
    interruption.abort();
    const florin = await starting.catch((error) => {
      if (!(error instanceof StartInterrupted)) throw error;
    });
    await florin?.stop();
  }, log);
  try {
    process.stdout.write(welcome(await starting));
  } catch (error) {
    if (error instanceof StartInterrupted) return;
    if (error instanceof SettingsError) endWithLine(error.message);
    log.fatal({ error }, 'The start failed');
    process.exit(1);
  }
}

function settingsOrEnd(): Settings {
  try {
    return givenSettings();
  } catch (error) {
    if (error instanceof SettingsError) return endWithLine(error.message);
    throw error;
  }
}

function endWithLine(line: string): never {
  process.stderr.write(`Florin cannot start: ${line}\n`);
  process.exit(1);
}

function stopOnSignal(stop: () => Promise<void>, log: ReturnType<typeof openLog>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.info({ signal }, 'Stopping: requests and deliveries in flight are finished first');
      setTimeout(() => process.exit(1), stopDeadlineMs).unref();
      stop().then(
        () => {
          log.info('Stopped');
          process.exit(0);
        },
        // A start that was interrupted and failed says why itself.
        () => process.exit(1),
      );
    });
  }
}
