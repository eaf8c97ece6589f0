import { hasCluster } from '@florin/embedded-postgres';
import { printableJson } from '../../../../sdk/src/printable.ts';
import { describeHosts, reasonOf } from '../../platform/postgres/connection/connection.ts';
import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import { Database } from '../../platform/postgres/database.ts';
import { findRunningFlorin } from '../../platform/postgres/embedded/florin-postgres.ts';
import { migrationState } from '../../platform/postgres/migrate.ts';
import { readArguments } from '../cli/arguments.ts';
import { type CommandOptions, type ExitCode, runCommand } from '../cli/command.ts';
import type { Settings } from '../config/settings.ts';
import { configuredDatabase } from '../open-database.ts';
import type { CheckResult, DatabaseCheck, DatabaseExamination, Finding } from './check.ts';
import { databaseChecks, machineChecks, schemaChecks } from './checks/all.ts';
import { type Machine, thisMachine } from './machine.ts';
import { readServer } from './statements.ts';

const usage = `Usage: npm run doctor [-- --json]

Examines this node and its database, whether the service runs or not, and prints what is wrong and how to cure it. It
only reads. An embedded PostgreSQL is examined while the service runs; it is not started.

  --json  prints one JSON object

It reads the settings of npm start. Exit code 0: nothing is wrong. 1: something is, or the examination failed.
2: wrong arguments. See docs/guides/operations.md, "Examining a node".
`;

/** The result of one check: fine, a finding, or why it could not be made. */
export interface Outcome {
  check: string;
  /** With what a check that found nothing has measured. */
  fact?: string;
  finding?: Finding;
  skipped?: string;
}

/** `npm run doctor`. */
export async function run(words: readonly string[], options: CommandOptions = {}): Promise<ExitCode> {
  const read = readArguments(words, usage, [], { flags: ['json'] });
  if (read.exitCode !== undefined) return read.exitCode as ExitCode;
  return runCommand('examine this node', options, async ({ settings, print }) => {
    const outcomes = await examine(settings);
    const isHealthy = outcomes.every(({ finding }) => finding === undefined);
    if (read.flags.has('json')) print(printableJson({ isHealthy, checks: outcomes }));
    else for (const line of outcomes.flatMap(linesOf)) print(line);
    return isHealthy ? 0 : 1;
  });
}

/** Makes every check. One that fails is a finding, and the others are still made. */
export async function examine(settings: Settings, machine: Machine = thisMachine): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { name, check } of machineChecks) {
    outcomes.push(await outcomeOf(name, () => check({ settings, machine })));
  }
  return [...outcomes, ...(await examineDatabase(settings, machine))];
}

const reachable = 'the database can be reached';

async function examineDatabase(settings: Settings, machine: Machine): Promise<Outcome[]> {
  const connections = await connectionsOf(settings);
  const all = [...databaseChecks, ...schemaChecks];
  if (connections === undefined) {
    const why = hasCluster(settings['app.data-dir']) ? 'Florin is not running' : 'there is no database yet';
    return [{ name: reachable }, ...all].map(({ name }) => ({ check: name, skipped: why }));
  }
  const { connection, direct } = connections;
  const database = new Database({ connection, connections: 1, name: 'doctor' });
  try {
    const [server] = await database.run(readServer);
    if (server === undefined) throw new Error('PostgreSQL answered nothing.');
    const at: DatabaseExamination = { settings, machine, database, direct, server };
    const outcomes: Outcome[] = [{ check: reachable }];
    for (const check of databaseChecks) outcomes.push(await outcomeIn(at, check));
    // Not over app.database.direct-url: what is wrong with that is the finding of a check.
    const { pending } = await migrationState(connection);
    for (const check of schemaChecks) {
      outcomes.push(
        pending.length === 0 ? await outcomeIn(at, check) : { check: check.name, skipped: 'migrations are missing' },
      );
    }
    return outcomes;
  } catch (error) {
    const finding = {
      what: `${describeHosts(connection)} cannot be used: ${reasonOf((error as Error).cause ?? error)}`,
      cure: 'start it, or check app.database.url, the network in between and the password',
    };
    return [
      { check: reachable, finding },
      ...all.map(({ name }) => ({ check: name, skipped: 'there is no connection' })),
    ];
  } finally {
    await database.close();
  }
}

async function connectionsOf(
  settings: Settings,
): Promise<{ connection: ConnectionConfig; direct: ConnectionConfig } | undefined> {
  if (settings['app.database.url'] !== undefined) return configuredDatabase(settings);
  const running = await findRunningFlorin(settings['app.data-dir']);
  if (running === undefined) return undefined;
  const connection = { ...running, ssl: false };
  return { connection, direct: connection };
}

const outcomeIn = (at: DatabaseExamination, { name, checkDatabase }: DatabaseCheck) =>
  outcomeOf(name, () => checkDatabase(at));

async function outcomeOf(name: string, check: () => Promise<CheckResult>): Promise<Outcome> {
  try {
    const result = await check();
    if (result === undefined) return { check: name };
    if ('fact' in result || 'skipped' in result) return { check: name, ...result };
    return { check: name, finding: result };
  } catch (error) {
    const what = `it could not be checked: ${reasonOf((error as Error).cause ?? error)}`;
    return { check: name, finding: { what, cure: 'cure what is named first, and examine again' } };
  }
}

function linesOf({ check, fact, finding, skipped }: Outcome): string[] {
  if (skipped !== undefined) return [`skipped  ${check}: not checked, because ${skipped}`];
  if (finding === undefined) return [`ok       ${check}${fact === undefined ? '' : `: ${fact}`}`];
  return [`WRONG    ${check}: ${finding.what}`, `cure     ${finding.cure}`];
}
