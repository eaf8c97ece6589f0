import { setTimeout as sleep } from 'node:timers/promises';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Log } from '../../platform/process/log.ts';
import { OtherProcesses, type SharedEntry } from '../../platform/process/other-processes.ts';
import { ChildProcess } from './child-process.ts';
import { mergedMetrics, type ProcessMetrics } from './merged-metrics.ts';
import type { MessageToChild, SharedAssignment } from './messages.ts';
import type { ProcessGroup } from './process-group.ts';

/** How long a start waits for its children. A child that is prepared later listens then. */
const prepareWithinMs = 15_000;
/** A child is asked this often whether it answers, and killed when it has left this many questions open. */
const askEveryMs = 5_000;
const silentQuestions = 4;
const metricsWithinMs = 1_000;
/** Pauses between failed starts of a child; each is twice the one before. */
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A child that has lived for this long is started again without a pause. */
const healthyMs = 30_000;

export interface ChildProcessesOptions {
  /** Besides the first process. */
  count: number;
  log: Log;
}

/**
 * The children of the first process: they only serve requests. A child that ends is started again. All of them end with
 * the first process, however it ends.
 */
export class ChildProcesses implements ProcessGroup {
  readonly number = 1;
  readonly otherProcesses = new OtherProcesses();
  readonly #log: Log;
  readonly #children = new Map<number, ChildProcess>();
  readonly #numbers: readonly number[];
  readonly #stopBegins = new AbortController();
  readonly #prepared = new Map<number, () => void>();
  readonly #whenPrepared: Promise<unknown>;
  #metrics: Metrics | undefined;
  #mayListen = false;
  #watch: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;

  constructor({ count, log }: ChildProcessesOptions) {
    this.#log = log;
    this.#numbers = Array.from({ length: count }, (_, index) => index + 2);
    this.#whenPrepared = Promise.all(
      this.#numbers.map((number) => new Promise<void>((resolve) => this.#prepared.set(number, resolve))),
    );
    this.otherProcesses.sendBy((entries) => this.#share(entries));
  }

  /**
   * Starts the processes, waits until all are prepared and lets them listen. So connections spread over all of them
   * from the first one on: a client that connects early and stays connected would otherwise keep its requests on the
   * process that was first.
   */
  async start(assignment: SharedAssignment): Promise<void> {
    for (const number of this.#numbers) this.#start(assignment, number, 0);
    this.#watch = setInterval(() => this.#killSilent(), askEveryMs).unref();
    process.on('exit', this.#killAll);
    const { signal } = this.#stopBegins;
    // Rejects when the node stops, which ends the wait as well.
    const late = sleep(prepareWithinMs, undefined, { signal, ref: false }).catch(() => {});
    await Promise.race([this.#whenPrepared, late]);
    this.#mayListen = true;
    this.#send({ type: 'listen' });
  }

  attach(metrics: Metrics): void {
    this.#metrics = metrics;
  }

  async metricsOfAll(): Promise<string> {
    const own = this.#metrics === undefined ? [] : [{ process: this.number, text: await this.#metrics.text() }];
    const others = await Promise.all(
      [...this.#children].map(async ([number, child]): Promise<ProcessMetrics[]> => {
        const text = await child.ask('own_metrics', metricsWithinMs);
        return text === undefined ? [] : [{ process: number, text }];
      }),
    );
    return mergedMetrics([...own, ...others.flat()]);
  }

  /** Lets the processes answer their requests in progress, and resolves when all have ended. Safe to call twice. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    this.#stopBegins.abort();
    clearInterval(this.#watch);
    this.#send({ type: 'stop' });
    await Promise.all([...this.#children.values()].map(({ ended }) => ended));
    process.off('exit', this.#killAll);
  }

  #start(assignment: SharedAssignment, number: number, failures: number): void {
    const startedMs = performance.now();
    const child = new ChildProcess({
      onPrepared: () => {
        this.#prepared.get(number)?.();
        if (this.#mayListen) child.send({ type: 'listen' });
      },
      onListening: () => this.#log.info({ process: number, pid: child.pid }, 'A process serves requests'),
      onShared: (entries) => {
        this.otherProcesses.receive(entries);
        this.#share(entries, child);
      },
      answer: async (question) => {
        if (question.about === 'request') return this.otherProcesses.asked(question.name, question.text, number);
        return question.about === 'all_metrics' ? this.metricsOfAll() : '';
      },
    });
    this.#children.set(number, child);
    child.send({ type: 'assignment', assignment: { ...assignment, number } });
    const restart = async (how: string) => {
      this.#children.delete(number);
      this.otherProcesses.gone(number);
      if (this.#stopBegins.signal.aborted) return;
      const before = performance.now() - startedMs > healthyMs ? 0 : failures;
      const pauseMs = before === 0 ? 0 : Math.min(firstPauseMs * 2 ** before, longestPauseMs);
      this.#log.error({ process: number, pid: child.pid, how, pauseMs }, 'A process has ended and is started again');
      this.#prepared.get(number)?.();
      await sleep(pauseMs, undefined, { signal: this.#stopBegins.signal });
      this.#start(assignment, number, before + 1);
    };
    child.ended.then(restart).catch((error: unknown) => {
      if (!this.#stopBegins.signal.aborted)
        this.#log.error({ error, process: number }, 'A process was not started again');
    });
  }

  #killSilent(): void {
    for (const [number, child] of this.#children) {
      if (child.openQuestions < silentQuestions) {
        // Questions without an answer are counted (`openQuestions`).
        child.ask('alive', silentQuestions * askEveryMs * 2).catch(() => {});
        continue;
      }
      this.#log.error({ process: number, pid: child.pid }, 'A process does not answer and is killed');
      child.kill();
    }
  }

  /** A child whose event loop is blocked does not notice that this process ends. */
  readonly #killAll = () => {
    for (const child of this.#children.values()) child.kill();
  };

  #send(message: MessageToChild): void {
    for (const child of this.#children.values()) child.send(message);
  }

  #share(entries: SharedEntry[], except?: ChildProcess): void {
    for (const child of this.#children.values()) if (child !== except) child.send({ type: 'shared', entries });
  }
}
