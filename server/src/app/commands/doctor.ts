import { access, constants, statfs } from 'node:fs/promises';
import { systemClock } from '../../core/clock.ts';
import { Database } from '../../platform/postgres/database.ts';
import { hasCluster } from '../../platform/postgres/embedded/running.ts';
import { openLog } from '../../platform/process/log.ts';
import { loadSettings } from '../config/load-settings.ts';
import { publicUrlOf } from '../config/public-url.ts';
import { keysInUse } from '../config/sealed-values.ts';
import { existingEncryptionKeys } from '../config/secrets.ts';
import type { Settings } from '../config/settings.ts';
import { findDatabase } from '../open-database.ts';

export interface Diagnosis {
  state: 'ok' | 'warning' | 'problem';
  /** What was looked at. */
  subject: string;
  /** What was found, and what to do about it. */
  finding: string;
}

type Report = (diagnosis: Diagnosis) => void;

const neededMajor = 24;
/** A new database of the embedded PostgreSQL takes 0.1 GB; payments need room to be acknowledged. */
const leastFreeBytes = 1024 ** 3;
const answerWithinMs = 5_000;
const tolerableSkewMs = 5_000;

/** `florin doctor`: looks at what a node needs, without changing anything. Returns the number of problems. */
export async function diagnose(report: Report): Promise<number> {
  let problems = 0;
  const counting: Report = (diagnosis) => {
    if (diagnosis.state === 'problem') problems++;
    report(diagnosis);
  };
  checkRuntime(counting);
  const settings = await attempt('settings', counting, async () => loadSettings());
  if (settings === undefined) return problems;
  counting({ state: 'ok', subject: 'settings', finding: 'complete and valid' });
  await checkDataFolder(settings, counting);
  await attempt('database', counting, () => checkDatabase(settings, counting));
  await checkService(settings, counting);
  return problems;
}

/** Reports an error as a problem. */
async function attempt<Result>(
  subject: string,
  report: Report,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    report({ state: 'problem', subject, finding: (error as Error).message });
    return undefined;
  }
}

function checkRuntime(report: Report): void {
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= neededMajor;
  const finding = isNewEnough ? process.version : `${process.version}; ${neededMajor} or newer is needed`;
  report({ state: isNewEnough ? 'ok' : 'problem', subject: 'Node.js', finding });
}

async function checkDataFolder(settings: Settings, report: Report): Promise<void> {
  const subject = 'data folder';
  const folder = settings['app.data-dir'];
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const free = `${folder} has ${((Number(bavail) * bsize) / 1024 ** 3).toFixed(1)} GB free`;
    const isEnough = Number(bavail) * bsize >= leastFreeBytes;
    report({ state: isEnough ? 'ok' : 'warning', subject, finding: isEnough ? free : `${free}; free some space` });
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const finding = isAbsent ? `${folder} does not exist; the first start makes it` : `${folder} cannot be written`;
    report({ state: isAbsent ? 'ok' : 'problem', subject, finding });
  }
}

async function checkDatabase(settings: Settings, report: Report): Promise<void> {
  if (settings['app.database.url'] === undefined && !hasCluster(settings['app.data-dir'])) {
    return report({ state: 'ok', subject: 'database', finding: 'none yet; the first start makes it' });
  }
  const { connection, stop } = await findDatabase(settings, openLog('silent'));
  const database = new Database({ connection, connections: 1, name: 'doctor' });
  try {
    report({ state: 'ok', subject: 'database', finding: 'answers, with the schema of this version' });
    const keys = await existingEncryptionKeys(settings);
    const unusable = (await keysInUse(database, keys, systemClock())).filter(
      ({ state }) => state === 'absent' || state === 'other',
    );
    for (const { id, what } of unusable) {
      report({ state: 'problem', subject: 'encryption keys', finding: `key ${id} is missing; it sealed ${what}` });
    }
    if (unusable.length === 0) {
      report({ state: 'ok', subject: 'encryption keys', finding: 'open every stored secret, or none is stored' });
    }
  } finally {
    await database.close();
    await stop();
  }
}

async function checkService(settings: Settings, report: Report): Promise<void> {
  const subject = 'service';
  const url = publicUrlOf(settings);
  try {
    const reply = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(answerWithinMs) });
    const { message } = (await reply.json()) as { message?: string };
    report(
      reply.ok
        ? { state: 'ok', subject, finding: `${url} is ready` }
        : { state: 'problem', subject, finding: `${url} is not ready: ${message ?? reply.status}` },
    );
    const skewMs = Math.abs(Date.parse(reply.headers.get('date') ?? '') - systemClock());
    if (skewMs > tolerableSkewMs) {
      const finding = `the clock of ${url} differs by ${Math.round(skewMs / 1000)} s from this machine's`;
      report({ state: 'warning', subject: 'clock', finding });
    }
  } catch {
    report({ state: 'warning', subject, finding: `nothing answers at ${url}; florin start starts it` });
  }
}
