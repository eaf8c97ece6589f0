import type { Queryable } from '../../../platform/postgres/database.ts';
import { LostCredentialsError } from '../channels/credentials.ts';
import { isFinalOutcome } from './effect.ts';
import { type LookUpDeps, lookUpNow } from './look-up.ts';
import type { Settler } from './settle.ts';
import { findOfPayment, type OperationRow } from './statements.ts';
import { isFinished } from './states.ts';

export interface FinishedRecheckerDeps extends LookUpDeps {
  database: Queryable;
  settler: Settler;
}

/** Look-ups at a time: few, so that a provider that hangs does not delay the callbacks of others. */
const maximumInFlight = 10;

/**
 * Looks up operations that have ended. Some providers (Mollie) report only that something has changed, which may be
 * that a closed payment was paid after all, or that a refund has failed after it had succeeded. Open operations are
 * looked up by the dispatcher.
 */
export class FinishedRechecker {
  readonly #deps: FinishedRecheckerDeps;
  #inFlight = 0;

  constructor(deps: FinishedRecheckerDeps) {
    this.#deps = deps;
  }

  /**
   * Looks up this refund, or this charge and every refund of its payment, as far as they have ended and were made
   * through the same channel. `reference`: the provider's id in the callback. `unknown`: the provider did not answer.
   * `busy`: too many look-ups are in flight, or the channel's API key is lost and must be set again.
   */
  async recheck(operation: OperationRow, reference: string | null): Promise<'done' | 'unknown' | 'busy'> {
    const rows = await this.#deps.database.run(findOfPayment, [operation.tenant_id, operation.id]);
    for (const row of rows.filter((row) => isConcerned(row, operation))) {
      const known = row.operation_reference ?? (row.number === operation.number ? reference : null);
      // Without a reference, some providers can be looked up only by sending the request again.
      if (known === null) continue;
      if (this.#inFlight >= maximumInFlight) return 'busy';
      this.#inFlight++;
      try {
        if (!(await this.#lookUp({ ...row, operation_reference: known }))) return 'unknown';
      } catch (error) {
        if (error instanceof LostCredentialsError) return 'busy';
        throw error;
      } finally {
        this.#inFlight--;
      }
    }
    return 'done';
  }

  /** Returns false if the provider did not answer. */
  async #lookUp(row: OperationRow): Promise<boolean> {
    const { settler } = this.#deps;
    const answer = await lookUpNow(row, this.#deps);
    if (answer.kind === 'absent') return true;
    if (isFinalOutcome(answer)) {
      await settler.settle(row, answer, 'look_up', { lookUps: 1 });
      return true;
    }
    const report = answer.kind === 'unknown' ? answer.mismatch : answer;
    if (report !== undefined) await settler.reportDifference(row, report, 'look_up');
    return answer.kind !== 'rate_limited' && (answer.kind !== 'unknown' || report !== undefined);
  }
}

/** A cancellation has no look-up of its own: that of its charge says the same. */
function isConcerned(row: OperationRow, { kind, number, operation_channel_id }: OperationRow): boolean {
  if (row.kind === 'CANCEL' || !isFinished(row.state) || row.operation_channel_id !== operation_channel_id)
    return false;
  return row.number === number || (kind === 'CHARGE' && row.kind === 'REFUND');
}
