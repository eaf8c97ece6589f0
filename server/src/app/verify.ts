import { printableJson } from '../../../sdk/src/printable.ts';
import { dayMs } from '../core/clock.ts';
import { Refusal } from '../core/errors.ts';
import { type AuditHead, headText, parseHead } from '../domains/identity/audit/heads.ts';
import type { Keyring } from '../platform/crypto/keyring.ts';
import { reasonOf } from '../platform/postgres/connection/connection.ts';
import type { ConnectionConfig } from '../platform/postgres/connection/connection-url.ts';
import { Database } from '../platform/postgres/database.ts';
import { Replica, ReplicaBehind } from '../platform/postgres/replica.ts';
import { endSignals } from '../platform/process/end-signals.ts';
import { openLog } from '../platform/process/log.ts';
import { readArguments, verifyUsage } from './cli/arguments.ts';
import { noteOnStandardError, printOnStandardOutput, progressOf } from './cli/progress.ts';
import { loadSettings } from './config/load-settings.ts';
import { existingEncryptionKeys } from './config/secrets.ts';
import { type Settings, SettingsError } from './config/settings.ts';
import { type ClaimResult, checks, type FindingResult, keyedChecks, verify } from './integrity.ts';
import { findDatabase, replicaOf } from './open-database.ts';
import { countValuesByKey, describeKey } from './reseal-values.ts';
import { checkingConnections } from './verify-parts.ts';

/**
 * `npm run verify`: checks the database against the integrity claims of all modules, and prints a line for each claim,
 * for what a person should look at, for the head of each audit log and for what each encryption key has sealed. It only
 * reads, and may run while the service runs. Exit code 0 when every claim holds, 1 when one is broken, 2 when the check
 * itself failed.
 */
const read = readArguments(process.argv.slice(2), verifyUsage, ['audit-head'], {
  flags: ['json', 'replica'],
});
if (read.exitCode === undefined) await main(read.given['audit-head'], read.flags);
else process.exitCode = read.exitCode;

async function main(heads: readonly string[], flags: ReadonlySet<string>): Promise<void> {
  try {
    process.exitCode = (await verifyDatabase(heads.map(headOf), flags)) === 0 ? 0 : 1;
  } catch (error) {
    const line = error instanceof SettingsError ? error.message : String((error as Error).stack);
    noteOnStandardError(`Florin cannot verify: ${line}`);
    process.exitCode = 2;
  }
}

function headOf(text: string): AuditHead {
  const head = parseHead(text);
  if (head !== undefined) return head;
  throw new SettingsError(
    `--audit-head takes TENANT:SEQ:HASH as printed by florin verify, not ${JSON.stringify(text)}.`,
  );
}

async function verifyDatabase(heads: readonly AuditHead[], flags: ReadonlySet<string>): Promise<number> {
  const isJson = flags.has('json');
  const settings = await loadSettings();
  const keys = await keysIfAny(settings);
  const { connection, stop } = await findDatabase(settings, openLog('warn'));
  // Recounting a large database may take hours.
  const open = (to: ConnectionConfig) =>
    new Database({ connection: to, connections: checkingConnections(), name: 'verify', statementTimeoutMs: dayMs });
  const database = open(connection);
  const standby = flags.has('replica') ? requireReplica(settings) : undefined;
  const replica = standby && open(standby);
  for (const signal of endSignals)
    process.once(signal, () => {
      const exit = () => process.exit(2);
      stop().then(exit, exit);
    });
  try {
    const total = checks.length + keyedChecks.length + heads.length;
    let done = 0;
    const progress = progressOf(
      noteOnStandardError,
      () => `${done} of ${total} claims checked`,
      () => done / total,
    );
    const print = (line: string, record: object) => printOnStandardOutput(isJson ? printableJson(record) : line);
    const report = (result: ClaimResult) => {
      done++;
      const { offenders, notCheckable } = result;
      print(lineOf(result), { ...result, holds: notCheckable === undefined ? offenders.length === 0 : null });
    };
    const onFinding = (result: FindingResult) =>
      print(`look at ${listOf(result.finding, result.found, result.hasMore)}`, result);
    const onHead = (head: AuditHead) => print(`head    ${headText(head)}`, { head: headText(head) });
    if (replica !== undefined) noteOnStandardError('Reading the replica, with everything committed before this check.');
    const source = replica === undefined ? database : replicaReading(database, replica, settings);
    const broken = await verify(source, report, { keys, noted: heads, beside: replica ?? database, onFinding, onHead })
      .catch((error: unknown) => {
        throw replica === undefined ? error : stoppedBy(error, `${done} of ${total} claims`);
      })
      .finally(progress.stop);
    for (const count of await countValuesByKey(replica ?? database)) {
      print(`sealed  ${describeKey(count)}`, { keyId: count.keyId, sealed: Object.fromEntries(count.what) });
    }
    return broken;
  } finally {
    await replica?.close();
    await database.close();
    await stop();
  }
}

function requireReplica(settings: Settings): ConnectionConfig {
  const connection = replicaOf(settings);
  if (connection !== undefined) return connection;
  throw new SettingsError('--replica needs app.database.replica-url.');
}

function replicaReading(primary: Database, replica: Database, settings: Settings): Replica {
  const waitMs = settings['app.database.replica-wait'];
  return new Replica({ primary, lists: primary, snapshots: primary, replica, waitMs });
}

/** Why the replica could not answer to the end, and what helps. */
function stoppedBy(error: unknown, checked: string): Error {
  if (error instanceof ReplicaBehind) {
    const why = error.lagBytes === undefined ? 'is no standby' : `is ${error.lagBytes} bytes behind`;
    return new SettingsError(`the replica ${why}; wait longer (app.database.replica-wait), or leave out --replica.`);
  }
  if (!(error instanceof Refusal)) return error as Error;
  // serialization_failure: a standby cancels what reads rows that it has to remove.
  const isConflict = (error.cause as { code?: string } | undefined)?.code === '40001';
  const help = isConflict
    ? 'Set hot_standby_feedback = on or max_standby_streaming_delay = -1 on it'
    : 'Start it again';
  const reason = `the replica stopped answering after ${checked}: ${reasonOf(error.cause)}`;
  return new SettingsError(`${reason}. ${help}, or leave out --replica.`);
}

/** The books can be checked without the keys, for example on another machine. */
async function keysIfAny(settings: Settings): Promise<Keyring | undefined> {
  try {
    return await existingEncryptionKeys(settings);
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

function lineOf({ claim, offenders, hasMore, note, notCheckable }: ClaimResult): string {
  if (notCheckable !== undefined) return `unknown ${claim}: not checkable, ${notCheckable}`;
  if (offenders.length === 0) return `ok      ${claim}${note === undefined ? '' : ` (${note})`}`;
  return `BROKEN  ${listOf(claim, offenders, hasMore)}`;
}

function listOf(what: string, ids: readonly string[], hasMore: boolean): string {
  return `${what}: ${ids.join(', ')}${hasMore ? ' and more' : ''}`;
}
