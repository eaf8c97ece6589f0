import type { Clock } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { EndpointDirectory } from '../../endpoints/directory.ts';
import {
  type DisabledEndpoint,
  disableEndpoint,
  pauseEndpoint,
  recordExhaustion,
  recoverEndpoint,
} from '../../endpoints/health-statements.ts';
import { type DisabledReason, disabledAfterMs } from '../../endpoints/rules.ts';
import type { EndpointQueue } from '../claiming/endpoint-queue.ts';
import { breakerOpenMs } from '../rules.ts';

type OnDisabled = (endpoint: { tenantId: number; id: number; url: string }, reason: DisabledReason) => void;

export interface EndpointHealthOptions {
  database: Queryable;
  directory: EndpointDirectory;
  clock: Clock;
  /** Told once when an endpoint is switched off, after that is committed. */
  onDisabled?: OnDisabled | undefined;
  onPaused?: (() => void) | undefined;
  onError: (error: unknown) => void;
}

/**
 * Writes down how endpoints fare, for all nodes to see: pauses, recoveries, switching off. Only changes are written,
 * and before the result that caused them: a sender that dies in between tries the delivery again and finds them.
 */
export class EndpointHealth {
  readonly #options: EndpointHealthOptions;

  constructor(options: EndpointHealthOptions) {
    this.#options = options;
  }

  /** Nothing is sent for a while: in memory at once, so that no claim meanwhile sends more. */
  async pause(lane: EndpointQueue): Promise<void> {
    const nowMs = this.#options.clock();
    const untilMs = nowMs + breakerOpenMs;
    lane.pause(nowMs, untilMs);
    this.#options.onPaused?.();
    await this.#write(({ database }) => database.run(pauseEndpoint, [lane.id, untilMs, lane.facts.firstFailureMs]));
  }

  /** It answers again. Only a success ends the failing that may switch it off. */
  async recover(lane: EndpointQueue, succeeded: boolean): Promise<void> {
    lane.recover(succeeded);
    await this.#write(({ database }) => database.run(recoverEndpoint, [lane.id, succeeded]));
  }

  /** A delivery has used up its tries: the endpoint is switched off if there has been no success for too long. */
  async exhausted(lane: EndpointQueue): Promise<void> {
    const nowMs = this.#options.clock();
    const { firstFailureMs } = lane.facts;
    const isRecent = firstFailureMs !== null && firstFailureMs > nowMs - disabledAfterMs;
    if (isRecent) return;
    await this.#write(async ({ database, directory }) => {
      const since = lane.failingSinceMs ?? nowMs;
      const reason: DisabledReason = 'failing';
      const [row] = await database.run(recordExhaustion, [lane.id, since, nowMs - disabledAfterMs, reason, nowMs]);
      if (row === undefined) return;
      lane.facts = { ...lane.facts, firstFailureMs: firstFailureMs ?? since, state: row.state };
      if (!row.state) await this.#disabled(row, reason, { database, directory });
    });
  }

  /** The endpoint itself says that it is gone. */
  async gone(lane: EndpointQueue): Promise<void> {
    await this.#write(async ({ database, directory, clock }) => {
      const reason: DisabledReason = 'gone';
      const [row] = await database.run(disableEndpoint, [lane.id, reason, clock()]);
      lane.facts = { ...lane.facts, state: false };
      if (row !== undefined) await this.#disabled(row, reason, { database, directory });
    });
  }

  async #disabled(
    { tenant_id: tenantId, id, url }: DisabledEndpoint,
    reason: DisabledReason,
    { database, directory }: Pick<EndpointHealthOptions, 'database' | 'directory'>,
  ): Promise<void> {
    await directory.changed(database, id);
    this.#options.onDisabled?.({ tenantId, id, url }, reason);
  }

  async #write(write: (options: EndpointHealthOptions) => Promise<unknown>): Promise<void> {
    try {
      await write(this.#options);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
