import type { CustomerAtProvider } from './kept-method.ts';
import type { NamedMode } from './outcome.ts';

/** The provider has a customer of the other mode than the channel's: nothing is sent for it. */
class OtherModeError extends Error {
  readonly livemode: boolean;

  constructor(livemode: boolean) {
    super('The provider names the other mode for its customer than the channel has.');
    this.name = 'OtherModeError';
    this.livemode = livemode;
  }
}

/** Throws for a customer of the other mode. `named`: undefined if the provider names none. */
export function requireModeOf({ livemode }: Pick<CustomerAtProvider, 'livemode'>, named: boolean | undefined): void {
  if (named !== undefined && named !== livemode) throw new OtherModeError(named);
}

/** The outcome of an operation whose customer is of the other mode: by its mode, Florin reports it. Rethrows others. */
export function otherModeOutcome(error: unknown): { kind: 'pending'; livemode: boolean } {
  if (error instanceof OtherModeError) return { kind: 'pending', livemode: error.livemode };
  throw error;
}

/**
 * The mode that an answer names, if it is the other one: it says more than that of the payment or setup it belongs to.
 */
export function otherModeOf({ livemode }: Pick<CustomerAtProvider, 'livemode'>, named: NamedMode): NamedMode {
  return named.livemode === undefined || named.livemode === livemode ? {} : { livemode: named.livemode };
}
