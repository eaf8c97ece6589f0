import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { Providers } from '../providers/directory.ts';
import { type Addresses, lookUpOnce, operationOf } from './call.ts';
import type { Settler } from './settle.ts';
import { isFinalOutcome } from './settlement.ts';
import { findOfPayment, type OperationRow } from './statements.ts';

export interface RefundRecheckerDeps extends Addresses {
  database: Queryable;
  providers: Pick<Providers, 'of'>;
  credentials: Pick<ChannelCredentials, 'of'>;
  settler: Settler;
  /** One deadline for a whole look-up: `app.provider.timeout`. */
  timeoutMs: number;
}

/** Look-ups at once: a provider that hangs must not hold up the callbacks of the others. */
const maximumAtOnce = 10;

/**
 * Asks again about refunds that have succeeded. Some providers (Mollie) only say that something has changed, and what has
 * changed may be a refund that came back. Open operations are looked up by the dispatcher.
 */
export class RefundRechecker {
  readonly #deps: RefundRecheckerDeps;
  #atOnce = 0;

  constructor(deps: RefundRecheckerDeps) {
    this.#deps = deps;
  }

  /**
   * Looks up the refund that `about` is, or every refund of the payment whose charge it is, as far as they have succeeded
   * through the same channel. `unknown`: the provider did not answer; `busy`: too much is being looked up already.
   */
  async recheck(about: OperationRow): Promise<'done' | 'unknown' | 'busy'> {
    const rows = await this.#deps.database.run(findOfPayment, [about.tenant_id, about.id]);
    const succeeded = rows.filter(
      ({ kind, state, number, operation_channel_id }) =>
        kind === 'REFUND' &&
        state === 'SUCCEEDED' &&
        operation_channel_id === about.operation_channel_id &&
        (about.kind !== 'REFUND' || number === about.number),
    );
    for (const row of succeeded) {
      if (this.#atOnce >= maximumAtOnce) return 'busy';
      this.#atOnce++;
      try {
        if (!(await this.#lookUp(row))) return 'unknown';
      } finally {
        this.#atOnce--;
      }
    }
    return 'done';
  }

  /** False: it is not known what has become of it. */
  async #lookUp(row: OperationRow): Promise<boolean> {
    const { providers, credentials, settler, timeoutMs, publicUrl } = this.#deps;
    const connector = await providers.of(row.operation_provider);
    const opened = await credentials.of(row.operation_channel_id);
    const operation = operationOf(row, { publicUrl });
    const seen = await lookUpOnce(connector, row, operation, { credentials: opened, timeoutMs });
    if (seen.kind === 'unknown') return false;
    if (seen.kind !== 'absent' && isFinalOutcome(seen)) await settler.settle(row, seen, 'look_up', { lookUps: 1 });
    return true;
  }
}
