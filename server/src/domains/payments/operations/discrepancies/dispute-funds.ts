import type { Transaction } from '../../../../platform/postgres/database.ts';

/** What a dispute in another currency has taken, as a person has found. */
export interface FoundFunds {
  tenantId: number;
  /** The UUID of the dispute. */
  disputeId: string;
  /** In minor units of the payment's currency. */
  amount: number;
}

/** What the closing of discrepancies needs of disputes, which come after this module. */
export interface DisputeFunds {
  /**
   * Books what a dispute has taken from its locked payment, and ends refunds that were not sent and no longer fit.
   * Refuses (`invalid_request`) more than was captured.
   */
  book(transaction: Transaction, funds: FoundFunds): Promise<void>;
}

/** Disputes register themselves here. */
export class RegisteredDisputeFunds implements DisputeFunds {
  #funds: DisputeFunds | undefined;

  register(funds: DisputeFunds): void {
    this.#funds = funds;
  }

  book(transaction: Transaction, funds: FoundFunds): Promise<void> {
    if (this.#funds === undefined) throw new Error('Disputes are not registered.');
    return this.#funds.book(transaction, funds);
  }
}
