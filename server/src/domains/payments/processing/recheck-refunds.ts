import type { Queryable } from '../../../platform/postgres/database.ts';
import { type ChannelCredentials, LostCredentialsError } from '../channels/credentials.ts';
import type { Providers } from '../providers/directory.ts';
import { lookUpOperation, type ObserveCall, type PublicAddress, providerOperation } from './call.ts';
import type { Settler } from './settle.ts';
import { isFinalOutcome } from './settlement.ts';
import { findOfPayment, type OperationRow } from './statements.ts';

export interface RefundRecheckerDeps extends PublicAddress {
  database: Queryable;
  providers: Pick<Providers, 'of'>;
  credentials: Pick<ChannelCredentials, 'of' | 'secrets'>;
  settler: Settler;
  /** Deadline of a look-up: `app.provider.timeout`. */
  timeoutMs: number;
  observe?: ObserveCall;
}

/** Look-ups at a time: few, so that a provider that hangs does not delay the callbacks of others. */
const maximumInFlight = 10;

/**
 * Looks up refunds that have succeeded. Some providers (Mollie) report only that something has changed, which may be that such
 * a refund has failed. Open operations are looked up by the dispatcher.
 */
export class RefundRechecker {
  readonly #deps: RefundRecheckerDeps;
  #inFlight = 0;

  constructor(deps: RefundRecheckerDeps) {
    this.#deps = deps;
  }

  /**
   * Looks up this refund, or every refund of this charge's payment, that has succeeded through the same channel. `unknown`: the
   * provider did not answer. `busy`: too many look-ups are in flight, or the channel's API key is lost and must be set again.
   */
  async recheck(operation: OperationRow): Promise<'done' | 'unknown' | 'busy'> {
    const rows = await this.#deps.database.run(findOfPayment, [operation.tenant_id, operation.id]);
    const succeeded = rows.filter(
      ({ kind, state, number, operation_channel_id }) =>
        kind === 'REFUND' &&
        state === 'SUCCEEDED' &&
        operation_channel_id === operation.operation_channel_id &&
        (operation.kind !== 'REFUND' || number === operation.number),
    );
    for (const row of succeeded) {
      if (this.#inFlight >= maximumInFlight) return 'busy';
      this.#inFlight++;
      try {
        if (!(await this.#lookUp(row))) return 'unknown';
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
    const { providers, credentials, settler, timeoutMs, publicUrl, observe } = this.#deps;
    const connector = await providers.of(row.operation_provider);
    const opened = await credentials.of(row.operation_channel_id);
    const { callbackToken } = opened;
    const operation = providerOperation(row, { publicUrl, callbackToken, secrets: credentials.secrets });
    const answer = await lookUpOperation(connector, row, operation, { credentials: opened, timeoutMs, observe });
    if (answer.kind === 'unknown' || answer.kind === 'rate_limited') return false;
    if (answer.kind !== 'absent' && isFinalOutcome(answer)) {
      await settler.settle(row, answer, 'look_up', { lookUps: 1 });
    }
    return true;
  }
}
