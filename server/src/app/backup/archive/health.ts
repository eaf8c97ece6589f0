import { resolve } from 'node:path';
import { minuteMs } from '../../../core/clock.ts';
import { ArchiveFolder, type Coverage } from './archive-folder.ts';

/** Everything is archived once a minute; a disk may be away for some minutes. */
export const oldestCoverageMs = 5 * minuteMs;

/** Whether everything until a moment ago is archived. */
export const isBehind = (coverage: Coverage | undefined, nowMs: number) =>
  coverage === undefined || nowMs - Date.parse(coverage.until) > oldestCoverageMs;

/** What the folder of `app.backup.archive` says: the process that answers may not be the one that archives. */
export async function archiveHealth(
  path: string,
  nowMs: number,
): Promise<{ archivedTime: string | null; failedTime: null; isFailing: boolean }> {
  const archive = await ArchiveFolder.open(resolve(path)).catch(() => undefined);
  const coverage = await archive?.coverage().catch(() => undefined);
  return { archivedTime: coverage?.until ?? null, failedTime: null, isFailing: isBehind(coverage, nowMs) };
}
