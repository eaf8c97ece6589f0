import '../platform/process/heap-settings.ts';
import { printable, printableLines } from '../../../sdk/src/printable.ts';
import { collectGarbageOfStart } from '../platform/process/collect-garbage.ts';
import { endSignals } from '../platform/process/end-signals.ts';
import { openLog } from '../platform/process/log.ts';
import { outliveOutput } from '../platform/process/output.ts';
import { readArguments, startUsage } from './cli/arguments.ts';
import { welcomeLine, welcomeOf, welcomeText } from './cli/welcome.ts';
import { loadSettings } from './config/load-settings.ts';
import { type Settings, SettingsError } from './config/settings.ts';
import { startFlorin } from './florin.ts';
import { StartInterrupted } from './http/waiting.ts';

/** The process ends after this time even if the stop is not complete. Deliveries in flight take up to 12 s. */
const stopDeadlineMs = 30_000;

const { exitCode } = readArguments(process.argv.slice(2), startUsage);
if (exitCode === undefined) await main();
else process.exitCode = exitCode;

async function main(): Promise<void> {
  outliveOutput();
  const settings = await settingsOrEnd();
  const level = settings['app.log.level'];
  const log = openLog(level);
  const isTerminal = process.stdout.isTTY === true;
  // A person only reads the welcome, and what goes wrong before.
  if (isTerminal && level === 'info') log.level = 'warn';
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'The process ends because of a defect; acknowledged payments are stored');
    process.exit(1);
  });
  const interruption = new AbortController();
  const florinStart = startFlorin(settings, log, { mayFork: true, signal: interruption.signal });
  // Registered before the start completes: an interrupted start runs to its end and is then stopped, so that no
  // PostgreSQL keeps running. A start that waits for its database ends at once.
  stopOnSignal(async () => {
    interruption.abort();
    const florin = await florinStart.catch((error) => {
      if (!(error instanceof StartInterrupted)) throw error;
    });
    await florin?.stop();
  }, log);
  try {
    const welcome = welcomeOf(await florinStart);
    process.stdout.write(isTerminal ? printableLines(welcomeText(welcome)) : welcomeLine(welcome));
    log.level = level;
    collectGarbageOfStart();
  } catch (error) {
    if (error instanceof StartInterrupted) return;
    if (error instanceof SettingsError) endWithLine(error.message);
    log.fatal({ error }, 'The start failed');
    process.exit(1);
  }
}

async function settingsOrEnd(): Promise<Settings> {
  try {
    return await loadSettings();
  } catch (error) {
    if (error instanceof SettingsError) return endWithLine(error.message);
    throw error;
  }
}

function endWithLine(line: string): never {
  process.stderr.write(`Florin cannot start: ${printable(line)}\n`);
  process.exit(1);
}

function stopOnSignal(stop: () => Promise<void>, log: ReturnType<typeof openLog>): void {
  for (const signal of endSignals) {
    process.on(signal, () => {
      log.info({ signal }, 'Stopping after requests and deliveries in flight');
      setTimeout(() => process.exit(1), stopDeadlineMs).unref();
      stop().then(
        () => {
          log.info('Stopped');
          process.exit(0);
        },
        // A start that failed after it was interrupted has logged the reason.
        () => process.exit(1),
      );
    });
  }
}
