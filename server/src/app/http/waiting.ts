import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../core/errors.ts';
import { WaitingServer } from '../../platform/http/server/waiting-server.ts';
import { UnusableSetUp } from '../../platform/postgres/bus/prove-notifications.ts';
import { reasonOf } from '../../platform/postgres/connection/connection.ts';
import { failureOf, isLoginRefused, isTlsRefused } from '../../platform/postgres/connection/failures.ts';
import type { Log } from '../../platform/process/log.ts';
import { basePathOf, hostOf } from '../config/public-url.ts';
import type { Settings } from '../config/settings.ts';
import { listenAt } from './listen.ts';

/** Between two attempts. */
export const retryPauseMs = 500;

/** The process received a signal to stop while the start was waiting. */
export class StartInterrupted extends Error {}

export interface WaitingOptions {
  settings: Settings;
  log: Log;
  /** Aborted when the process receives a signal to stop. */
  signal: AbortSignal;
  /** As in `ListenAddress`. */
  reusePort: boolean;
}

/**
 * Lets the start wait for a database that cannot be reached, or for a lock. Opens the port at the first wait and logs
 * each new reason.
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

  /** Holds the port after the first wait. */
  get server(): WaitingServer | undefined {
    return this.#server;
  }

  /** Repeats `attempt` until the database answers. Throws errors that waiting cannot resolve. */
  async forDatabase<Result>(hosts: string, attempt: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await this.#untilInterrupted(attempt());
        if (this.#reason !== undefined)
          this.#options.log.info({ database: hosts }, 'The database answers; the start continues');
        this.#reason = undefined;
        return result;
      } catch (error) {
        if (!mayPass(error)) throw error;
        const { cause = error } = error instanceof Refusal ? error : {};
        await this.report(`Waiting for the database at ${hosts}: ${reasonOf(cause)}`, { code: codeOf(cause) });
        await this.#untilInterrupted(sleep(retryPauseMs, undefined, { signal: this.signal }));
      }
    }
  }

  /** Logs why the start waits, and answers health checks on the port with that reason. */
  async report(reason: string, facts: object = {}): Promise<void> {
    const { settings, log, reusePort } = this.#options;
    if (reason !== this.#reason) log.warn(facts, reason);
    this.#reason = reason;
    if (this.#server === undefined) {
      const server = new WaitingServer(basePathOf(settings));
      const port = await listenAt(settings, reusePort, (address) => server.listen(address));
      this.#server = server;
      log.info(
        { address: `http://${hostOf(settings)}:${port}` },
        'The port is open; /health/ready gives the reason why the node is not ready',
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

/** False for a refused login, a missing database or a server without TLS: the operator has to fix those. */
export function mayPass(error: unknown): boolean {
  if (error instanceof Refusal)
    return error.kind === 'unavailable' && !(isLoginRefused(error.cause) || isTlsRefused(error.cause));
  if (isLoginRefused(error) || isTlsRefused(error)) return false;
  if (error instanceof UnusableSetUp) return true;
  return ['away', 'busy', 'full', 'transient'].includes(failureOf(error));
}
