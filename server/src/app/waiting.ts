import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../core/errors.ts';
import { WaitingServer } from '../platform/http/waiting-server.ts';
import { reasonOf } from '../platform/postgres/connection.ts';
import { failureOf, isLoginRefused, isTlsRefused } from '../platform/postgres/failures.ts';
import type { Log } from '../platform/process/log.ts';
import { listenAt } from './listen.ts';
import { hostOf } from './public-url.ts';
import type { Settings } from './settings.ts';

const retryPauseMs = 500;

/** The start was told to stop while it waited. */
export class StartInterrupted extends Error {}

export interface WaitingOptions {
  settings: Settings;
  log: Log;
  /** Aborted when the process is told to stop. */
  signal: AbortSignal;
}

/**
 * A start that waits: for a database that is away, or for a lock. The port is opened at the first wait; the log is told
 * of each new reason.
 */
export class Waiting {
  readonly #options: WaitingOptions;
  #server: WaitingServer | undefined;
  #reason: string | undefined;

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** Set once there was something to wait for: who holds the port. */
  get server(): WaitingServer | undefined {
    return this.#server;
  }

  /** Runs `attempt` until the database answers; errors that no waiting will mend are thrown. */
  async forDatabase<Result>(hosts: string, attempt: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await this.#untilInterrupted(attempt());
        if (this.#reason !== undefined)
          this.#options.log.info({ database: hosts }, 'The database answers; the start goes on');
        this.#reason = undefined;
        return result;
      } catch (error) {
        if (!mayPass(error)) throw error;
        const { cause = error } = error instanceof Refusal ? error : {};
        await this.tell(`Waiting for the database at ${hosts}: ${reasonOf(cause)}`, { code: codeOf(cause) });
        await this.#untilInterrupted(sleep(retryPauseMs, undefined, { signal: this.signal }));
      }
    }
  }

  /** Says why the start waits, and holds the port meanwhile. */
  async tell(reason: string, facts: object = {}): Promise<void> {
    const { settings, log } = this.#options;
    if (reason !== this.#reason) log.warn(facts, reason);
    this.#reason = reason;
    if (this.#server === undefined) {
      const server = new WaitingServer();
      const port = await listenAt(settings, (host, wanted) => server.listen(host, wanted));
      this.#server = server;
      log.info(
        { address: `http://${hostOf(settings)}:${port}` },
        'The port is open; /health/ready says why it is not ready',
      );
    }
    this.#server.reason = `${reason}.`;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  async #untilInterrupted<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this;
    let onAbort = () => {};
    const interrupted = new Promise<never>((_, reject) => {
      onAbort = () => reject(new StartInterrupted());
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort);
    });
    try {
      return await Promise.race([interrupted, work]);
    } catch (error) {
      if (signal.aborted) throw new StartInterrupted();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

const codeOf = (error: unknown) => (error as { code?: string } | undefined)?.code;

/** A refused account, a missing database, a server without TLS: those are for the operator to mend. */
export function mayPass(error: unknown): boolean {
  if (error instanceof Refusal)
    return error.kind === 'unavailable' && !(isLoginRefused(error.cause) || isTlsRefused(error.cause));
  if (isLoginRefused(error) || isTlsRefused(error)) return false;
  return ['away', 'busy', 'transient'].includes(failureOf(error));
}
