import type { Queryable } from '../../../platform/postgres/database.ts';
import { LostCredentialsError } from '../channels/credentials.ts';
import { isFinalOutcome } from './effect.ts';
import { type LookUpDeps, lookUpNow } from './look-up.ts';
import type { Settler } from './settle.ts';
import { findOfPayment } from './statements.ts';
import { isFinished } from './states.ts';

export interface WaitingPaymentsDeps extends LookUpDeps {
  database: Queryable;
  settler: Settler;
}

/** Looks up payments that wait for their payer at a provider, before another payment of the same purchase begins. */
export class WaitingPayments {
  readonly #deps: WaitingPaymentsDeps;

  constructor(deps: WaitingPaymentsDeps) {
    this.#deps = deps;
  }

  /**
   * Whether the provider says that the payment still waits for its payer. Settles it if it has ended. `false` also if
   * the provider does not answer: then nobody knows whether the payer has paid.
   */
  async stillWaits(tenantId: number, id: string): Promise<boolean> {
    const { database, settler } = this.#deps;
    const rows = await database.run(findOfPayment, [tenantId, id]);
    const charge = rows.findLast(({ kind, state }) => kind === 'CHARGE' && state !== 'READY' && !isFinished(state));
    if (charge === undefined) return false;
    try {
      const answer = await lookUpNow(charge, this.#deps);
      if (answer.kind === 'absent') return false;
      if (isFinalOutcome(answer)) await settler.settle(charge, answer, 'look_up', { lookUps: 1 });
      return answer.kind === 'needs_payer';
    } catch (error) {
      if (error instanceof LostCredentialsError) return false;
      throw error;
    }
  }
}
