import { readFileSync } from 'node:fs';
import type { Settings } from './settings.ts';

/** Where the system does not tell: below what is usual on macOS and Windows. */
const assumedOpenFiles = 10_000;

/**
 * Connections that this process accepts at a time: `app.server.connections`, and at most three quarters of the files
 * that it may open. The rest is for the database, for deliveries and for closing connections.
 */
export function connectionLimitOf(
  { 'app.server.connections': given }: Pick<Settings, 'app.server.connections'>,
  openFiles = maximumOpenFiles(),
): number {
  return Math.min(given, Math.floor((openFiles * 3) / 4));
}

/** Node.js raises its soft limit to the hard one when it starts. */
function maximumOpenFiles(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? assumedOpenFiles : Number(limit);
  } catch {
    return assumedOpenFiles;
  }
}
