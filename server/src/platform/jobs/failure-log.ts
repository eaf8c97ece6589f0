import { Refusal } from '../../core/errors.ts';

interface WorkLog {
  warn: (facts: object, message: string) => void;
  info: (message: string) => void;
}

/** Of each log, the activities that wait for the database. */
const waitingForDatabase = new WeakMap<WorkLog, Set<string>>();

/**
 * Logs failures; `activity` names what fails, such as `Settling callbacks`. An unavailable database stops all
 * activities at once. That is one line, without a stack, when the first of them fails, and one when the last goes on.
 */
export function failureLog(
  log: WorkLog,
  activity: string,
): { onError: (error: unknown) => void; onRecovered: () => void } {
  const waiting = waitingForDatabase.get(log) ?? new Set();
  waitingForDatabase.set(log, waiting);
  return {
    onError: (error) => {
      if (!(error instanceof Refusal && error.type === 'database_unavailable')) {
        log.warn({ error }, `${activity} is failing; retrying`);
        return;
      }
      waiting.add(activity);
      if (waiting.size === 1) log.warn({ reason: reasonOf(error) }, 'Background work waits for the database; retrying');
    },
    onRecovered: () => {
      if (!waiting.delete(activity)) log.info(`${activity} works again`);
      else if (waiting.size === 0) log.info('Background work goes on');
    },
  };
}

const reasonOf = ({ cause, message }: Refusal) => (cause instanceof Error ? cause.message : message);
