import { type ChildProcess, fork, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Every process and folder the bench has made, so that none outlives it, however it ends. */
const children = new Set<ChildProcess>();
const folders = new Set<string>();

const endWithinMs = 15_000;

/** A folder that is removed at the end. The account that runs PostgreSQL must be able to pass through it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'florin-bench-'));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

export interface LaunchOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Where what it says goes. */
  logFile: string;
}

/** Runs a program in the background. */
export function launch(program: string, args: readonly string[], { cwd, env, logFile }: LaunchOptions): ChildProcess {
  const log = openSync(logFile, 'a');
  const child = owned(spawn(program, args, { cwd, env, stdio: ['ignore', log, log] }));
  closeSync(log);
  return child;
}

/** Runs a file of this folder in a process of its own, with a channel for messages; it ends when the channel does. */
export function launchOwn(file: string, args: readonly string[] = [], execArgv: readonly string[] = []): ChildProcess {
  return owned(
    fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      execArgv: [...execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
}

function owned(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** The next message, or an error when the process ends without one. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off('exit', onExit);
      resolve(message as Message);
    };
    const onExit = (code: number | null) => {
      child.off('message', onMessage);
      reject(new Error(`${child.spawnargs.join(' ')} ended with ${code} before it answered.`));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

export async function ask<Answer>(child: ChildProcess, question: object): Promise<Answer> {
  const answer = nextMessage<Answer>(child);
  child.send(question);
  return answer;
}

/** Asks it to end, and insists after a while. */
export function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const insist = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
    child.once('exit', () => {
      clearTimeout(insist);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** Ends every process, then removes every folder. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...children].map(end));
  for (const folder of folders) removeFolder(folder);
}

export function ownedPids(): number[] {
  return [...children].map((child) => child.pid).filter((pid) => pid !== undefined);
}
