import { EmbeddedPostgresError } from '@florin/embedded-postgres';
import { reasonOf } from '../../platform/postgres/connection/connection.ts';
import { failureOf } from '../../platform/postgres/connection/failures.ts';
import { endSignals } from '../../platform/process/end-signals.ts';
import { type FailPoint, failPointAt, noFailPoint } from '../../platform/process/fail-point.ts';
import { loadSettings } from '../config/load-settings.ts';
import { type Settings, SettingsError } from '../config/settings.ts';
import { CommandFailure } from './failure.ts';
import { noteOnStandardError, printOnStandardOutput } from './progress.ts';

/** What a command uses; tests pass their own. */
export interface CommandOptions {
  /** Default: those of this process's environment and of florin.yaml. */
  settings?: Settings;
  /** A line of the result. Default: standard output. */
  print?: (line: string) => void;
  /** A line about the progress of long work, or the reason of a failure. Default: standard error. */
  note?: (line: string) => void;
  /** Default: that of `app.drill.fail-point`. */
  failPoint?: FailPoint;
  signal?: AbortSignal;
}

export type CommandContext = Required<CommandOptions>;

/** 0: done. 1: it failed or found something. 2: its arguments are wrong. */
export type ExitCode = 0 | 1 | 2;

/**
 * Runs a command of an operator. The signals that end a program abort it: `work` removes what it has begun, and the
 * command fails. A failure is one line on standard error; only a defect shows its stack.
 */
export async function runCommand(
  verb: string,
  options: CommandOptions,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const note = options.note ?? noteOnStandardError;
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new CommandFailure('it was interrupted.'));
  for (const signal of endSignals) process.once(signal, interrupt);
  try {
    const settings = options.settings ?? (await loadSettings());
    const point = settings['app.drill.fail-point'];
    return await work({
      print: printOnStandardOutput,
      failPoint: point === undefined ? noFailPoint : failPointAt(point),
      signal: interruption.signal,
      ...options,
      settings,
      note,
    });
  } catch (error) {
    note(`Florin cannot ${verb}: ${lineOf(interruption.signal.aborted ? interruption.signal.reason : error)}`);
    return 1;
  } finally {
    for (const signal of endSignals) process.off(signal, interrupt);
  }
}

function lineOf(error: unknown): string {
  if (error instanceof CommandFailure || error instanceof SettingsError) return error.message;
  if (error instanceof EmbeddedPostgresError) return `${error.message}.`;
  if (isOfFiles(error)) return `${error.message}.`;
  if (failureOf(error) !== 'other') return `the database failed: ${reasonOf(error)}.`;
  return String((error as Error).stack);
}

/** Node's own message names the call and the path, in one line. */
function isOfFiles(error: unknown): error is Error {
  const { code, path } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && (path !== undefined || ['ENOSPC', 'EDQUOT', 'EROFS'].includes(code));
}
