import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import type { SharedEntry } from '../../platform/process/other-processes.ts';
import type { Settings } from '../config/settings.ts';

/** What a child process needs to serve requests. */
export interface Assignment {
  /** 2 or higher; the first process is 1. */
  number: number;
  /** Those of the first process, with the port that it listens on. */
  settings: Settings;
  /** As `parseKeyring` reads them. The files of generated keys are not read again: they may have been replaced. */
  jwtKeys: string;
  encryptionKeys: string;
  /** Of the embedded PostgreSQL; undefined: that of `app.database.url`. */
  connection?: ConnectionConfig | undefined;
}

/** What all of them get. */
export type SharedAssignment = Omit<Assignment, 'number'>;

export type MessageToChild =
  | { type: 'assignment'; assignment: Assignment }
  /** All processes are prepared, or this one replaces another: listen. */
  | { type: 'listen' }
  | { type: 'stop' }
  | { type: 'shared'; entries: SharedEntry[] }
  | Question
  | Answer;

export type MessageToParent =
  | { type: 'prepared' }
  | { type: 'listening' }
  | { type: 'shared'; entries: SharedEntry[] }
  | Question
  | Answer;

/**
 * `own_metrics`: those of the process that is asked; `all_metrics`: those of all processes; `alive`: whether it
 * answers; `request`: what `OtherProcesses.answer` answers under the name.
 */
export type About =
  | { about: 'own_metrics' | 'all_metrics' | 'alive' }
  | { about: 'request'; name: string; text: string };
export type Question = { type: 'question'; id: number } & About;
export type Answer = { type: 'answer'; id: number; text: string };
