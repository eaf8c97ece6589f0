import { type ChildProcess, fork, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** All processes and folders of the bench, so that `cleanUp` can remove them. */
const children = new Set<ChildProcess>();
const folders = new Set<string>();

const stopDeadlineMs = 15_000;

/** Creates a folder that `cleanUp` removes. The account that runs PostgreSQL needs access to its parent. */
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
  /** Receives standard output and standard error. */
  logFile: string;
}

/** Starts a program in the background. */
export function launch(program: string, args: readonly string[], { cwd, env, logFile }: LaunchOptions): ChildProcess {
  const log = openSync(logFile, 'a');
  const child = tracked(spawn(program, args, { cwd, env, stdio: ['ignore', log, log] }));
  closeSync(log);
  return child;
}

/** Starts a file of this folder as a process with a message channel. The process exits when the channel closes. */
export function launchFile(file: string, args: readonly string[] = [], execArgv: readonly string[] = []): ChildProcess {
  return tracked(
    fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      execArgv: [...execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
}

function tracked(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Returns the next message of a process. Rejects when the process exits first. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off('exit', onExit);
      resolve(message as Message);
    };
    const onExit = (code: number | null) => {
      child.off('message', onMessage);
      reject(new Error(`${child.spawnargs.join(' ')} exited with ${code} before it replied.`));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

/** Sends a message to a process and returns its reply. */
export async function request<Reply>(child: ChildProcess, message: object): Promise<Reply> {
  const reply = nextMessage<Reply>(child);
  child.send(message);
  return reply;
}

/** Sends SIGTERM, then SIGKILL if the process is still running after 15 s. */
export function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const killTimer = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
    child.once('exit', () => {
      clearTimeout(killTimer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** Stops all processes, then removes all folders. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...children].map(stopProcess));
  for (const folder of folders) removeFolder(folder);
}
