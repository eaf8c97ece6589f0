import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type Settings, SettingsError } from '../config/settings.ts';
import type { Machine } from './machine.ts';
import type { ServerFacts } from './statements.ts';

/** What is wrong, and what the operator does about it. Both are sentences without a full stop. */
export interface Finding {
  what: string;
  cure: string;
}

/** Nothing is wrong, and how far from it: a half-sentence without a full stop. */
export interface Fact {
  fact: string;
}

/** Why the check was not made, a half-sentence without a full stop: nothing is said about what it is named by. */
export interface Skipped {
  skipped: string;
}

export type CheckResult = Finding | Fact | Skipped | undefined;

/**
 * A refused setting as a finding; the cure is what follows the first semicolon of the message.
 *
 * @throws any other error as it is
 */
export function findingOf(error: unknown, cure: string): Finding {
  if (!(error instanceof SettingsError)) throw error;
  const [what = '', ...remedies] = error.message.replace(/\.$/, '').split('; ');
  return { what, cure: remedies.join('; ') || cure };
}

export interface Examination {
  settings: Settings;
  machine: Machine;
}

export interface DatabaseExamination extends Examination {
  database: Database;
  direct: ConnectionConfig;
  server: ServerFacts;
}

interface Named {
  /** What holds if it finds nothing, in a few words. */
  name: string;
}

/** Checks this machine and the settings. */
export interface MachineCheck extends Named {
  check: (at: Examination) => Promise<CheckResult>;
}

/** Checks the database; skipped while there is none to connect to. */
export interface DatabaseCheck extends Named {
  checkDatabase: (at: DatabaseExamination) => Promise<CheckResult>;
}
