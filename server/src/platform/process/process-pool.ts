import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { RoundRobinQueue } from '../concurrency/round-robin-queue.ts';
import type { TaskResult } from './serve-tasks.ts';

/** How a task ended. Only `done` has a value; `full` and `stopped` did not begin. */
export type TaskOutcome<Value> = TaskResult<Value> | { outcome: 'timed_out' | 'full' | 'stopped' };

export interface ProcessPoolOptions {
  /** The module that a worker runs. It calls `serveTasks`. */
  entry: URL;
  processes: number;
  /** How many tasks may wait for a worker, over all groups. */
  maximumWaiting: number;
  /** From the start of a task to its answer, without waiting. The worker is then terminated. */
  timeoutMs: number;
  /** A worker without work for this long is ended, which frees its memory. */
  idleMs: number;
  /** For JavaScript objects, in each worker. A task that needs more fails. */
  memoryMb: number;
  /** When it is aborted, waiting tasks end as `stopped`. Running ones go on. */
  stopping: AbortSignal;
}

interface Task<Input, Value> {
  input: Input;
  group: string;
  timeoutMs: number;
  end: (outcome: TaskOutcome<Value>) => void;
}

interface Worker<Input, Value> {
  process: ChildProcess;
  task: Task<Input, Value> | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Runs heavy computations in processes of their own, one task per process at a time. Unlike a thread, a process returns
 * all of its memory, can run at a lower priority, and crashes alone. Workers start when they are needed and end when
 * they are idle. Groups (tenants) take turns, so that a group with one task waits for one task of each other group.
 * When too many tasks wait, the newest of the group with the most is refused.
 */
export class ProcessPool<Input, Value> {
  readonly #options: ProcessPoolOptions;
  readonly #workers = new Set<Worker<Input, Value>>();
  readonly #waiting = new RoundRobinQueue<Task<Input, Value>>();
  #isStopped = false;

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    options.stopping.addEventListener('abort', () => this.#refuseWaiting(), { once: true });
  }

  get running(): number {
    return [...this.#workers].filter(({ task }) => task !== undefined).length;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Workers that exist, with or without work. */
  get processes(): number {
    return this.#workers.size;
  }

  /** Never rejects. */
  run(input: Input, group: string, timeoutMs = this.#options.timeoutMs): Promise<TaskOutcome<Value>> {
    return new Promise((end) => {
      if (this.#isStopped) end({ outcome: 'stopped' });
      else this.#add({ input, group, timeoutMs, end });
    });
  }

  /** Terminates all workers, and the tasks that they run. */
  async stop(): Promise<void> {
    this.#refuseWaiting();
    await Promise.all([...this.#workers].map((worker) => ended(this.#kill(worker, { outcome: 'stopped' }))));
  }

  #add(task: Task<Input, Value>): void {
    const worker = this.#idleWorker();
    if (worker !== undefined) {
      this.#begin(worker, task);
      return;
    }
    if (this.#waiting.size >= this.#options.maximumWaiting) {
      const refused = this.#waiting.dropFromLongest(this.#waiting.sizeOf(task.group) + 1) ?? task;
      refused.end({ outcome: 'full' });
      if (refused === task) return;
    }
    this.#waiting.push(task.group, task);
  }

  #idleWorker(): Worker<Input, Value> | undefined {
    const idle = [...this.#workers].find(({ task }) => task === undefined);
    return idle ?? (this.#workers.size < this.#options.processes ? this.#startWorker() : undefined);
  }

  #startWorker(): Worker<Input, Value> {
    const { entry, memoryMb } = this.#options;
    const { NODE_COMPILE_CACHE } = process.env;
    const child = fork(fileURLToPath(entry), {
      execArgv: [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=8'],
      // Nothing else of the environment, which may hold passwords.
      env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.unref();
    child.channel?.unref();
    const worker: Worker<Input, Value> = { process: child, task: undefined, timer: undefined };
    child.on('message', (result) => this.#finish(worker, result as TaskResult<Value>));
    child.on('error', (error) => this.#lose(worker, { outcome: 'failed', error }));
    child.on('exit', (code, signal) => {
      this.#lose(worker, {
        outcome: 'failed',
        error: new Error(`The process ended with ${signal ?? `code ${code}`}.`),
      });
    });
    this.#workers.add(worker);
    lowerPriority(child);
    return worker;
  }

  #begin(worker: Worker<Input, Value>, task: Task<Input, Value>): void {
    clearTimeout(worker.timer);
    worker.task = task;
    worker.timer = setTimeout(() => this.#kill(worker, { outcome: 'timed_out' }), task.timeoutMs);
    // Without a callback a failure would be an event of its own; the exit reports it as well.
    worker.process.send(task.input as object, () => {});
  }

  #finish(worker: Worker<Input, Value>, result: TaskResult<Value>): void {
    if (!this.#workers.has(worker)) return; // An answer that arrives while the worker is terminated.
    const { task } = worker;
    worker.task = undefined;
    clearTimeout(worker.timer);
    task?.end(result);
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(worker, next);
    else worker.timer = setTimeout(() => this.#kill(worker), this.#options.idleMs).unref();
  }

  /** Ends a worker that is idle, stuck or not needed any more, and gives its place to waiting tasks. */
  #kill(worker: Worker<Input, Value>, outcome?: TaskOutcome<Value>): ChildProcess {
    this.#lose(worker, outcome);
    worker.process.kill('SIGKILL');
    return worker.process;
  }

  /** The worker runs nothing any more. Called again when it exits. */
  #lose(worker: Worker<Input, Value>, outcome?: TaskOutcome<Value>): void {
    if (!this.#workers.delete(worker)) return;
    clearTimeout(worker.timer);
    if (outcome !== undefined) worker.task?.end(outcome);
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(this.#startWorker(), next);
  }

  #refuseWaiting(): void {
    this.#isStopped = true;
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      task.end({ outcome: 'stopped' });
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  await once(child, 'exit');
}

/** So that requests and the database come first when processors are scarce. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system forbids it.
  }
}
