import { availableParallelism } from 'node:os';
import { SettingsError } from '../../platform/settings/declare.ts';

/** From this number of cores on, a node has several processes by default. */
const fewestCores = 4;
const mostByDefault = 4;

export interface ProcessesInput {
  /** `app.processes`; undefined: not set. */
  given: number | undefined;
  role: 'all' | 'api' | 'worker';
  platform?: NodeJS.Platform;
  /** Those that this process may use, also in a container with a CPU limit. */
  cores?: number;
}

/** The number of processes of a node (docs/decisions/embedded-postgresql-and-start.md). */
export function processesOf({
  given,
  role,
  platform = process.platform,
  cores = availableParallelism(),
}: ProcessesInput): number {
  const canShare = platform === 'linux' && role !== 'worker';
  if (given === undefined) return canShare && cores >= fewestCores ? Math.min(cores, mostByDefault) : 1;
  if (given > 1 && role === 'worker') {
    throw new SettingsError('app.processes must be 1 where app.role is worker: further processes only serve requests.');
  }
  if (given > 1 && platform !== 'linux') {
    throw new SettingsError(
      'app.processes must be 1 here: only the kernel of Linux spreads connections over processes.',
    );
  }
  return given;
}
