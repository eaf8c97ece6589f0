import type { Failure } from './failures.ts';
import type { ProviderMethod } from './kept-method.ts';

/**
 * The result of an operation as the provider reports it. Only `succeeded`, `failed` and `cancelled` are final. They
 * carry the amount and currency if the provider reports them, and every result its mode; Florin opens a
 * discrepancy for a result whose amount or mode is not the operation's.
 */
export type Outcome =
  | ({
      kind: 'succeeded';
      reference: string;
      fee?: Fee;
      money?: NamedMoney;
      /**
       * What the charge has kept, if that was asked for; of a charge with a kept method, as it is kept from now on.
       * Absent: the payer declined to be remembered, or nothing of it has changed.
       */
      kept?: ProviderMethod;
      /** Of a final capture: the provider has released the rest with it. */
      isReleased?: boolean;
    } & Named)
  /** The amount is reserved, and waits to be captured; after a capture, what is left of it. */
  | ({
      kind: 'authorized';
      reference: string;
      /** What was authorized. */
      money?: NamedMoney;
      /** When the authorization ends, in ISO 8601; null: the provider does not say. */
      captureBefore: string | null;
      kept?: ProviderMethod;
    } & Named)
  /** Not carried out, and never will be under this key. */
  | ({ kind: 'failed'; reference?: string; failure: Failure; money?: NamedMoney } & Named)
  /**
   * Cancelled by Florin or by the payer, and confirmed by the provider. `failure`: why, if an authorization expired.
   */
  | ({ kind: 'cancelled'; reference?: string; money?: NamedMoney; failure?: Failure } & Named)
  /** In progress at the provider; a callback or a look-up brings the result. */
  | ({ kind: 'pending'; reference?: string } & Named)
  | ({ kind: 'needs_payer'; reference: string; nextAction: NextAction } & Named)
  /**
   * A rate limit of the provider refused the request before anything was done: the same request can be sent again, at
   * the earliest after `retryAfter`, the value of its header. `failure`: how the operation fails when it is not sent
   * again.
   */
  | { kind: 'rate_limited'; failure: Failure; retryAfter?: string }
  /**
   * A timeout, a lost connection or a 5xx: the operation may or may not have been carried out. Also a success with
   * another amount or currency than the operation's, if the provider's code has compared them itself (`mismatch`).
   */
  | {
      kind: 'unknown';
      cause: unknown;
      mismatch?: { kind: 'succeeded'; reference: string; money?: NamedMoney } & Named;
      /**
       * The provider can no longer say what became of the operation: it has nothing of it, and has forgotten the key,
       * so that another request could carry it out a second time. A person has to find out.
       */
      isForgotten?: boolean;
    };

/**
 * The provider does not have this operation, and will not carry out an earlier request any more: sending it is safe.
 */
export interface Absent {
  kind: 'absent';
}

/** The mode that the provider names for what it answers about: live (true) or test. Absent: it names none. */
export interface NamedMode {
  livemode?: boolean;
}

/** What the provider names beside a result. */
export interface Named extends NamedMode {
  /** The customer that it has for ours, also if the operation failed: `cus_…`. It is used for every later one. */
  customerReference?: string;
}

/**
 * The money that the provider reports as moved. For a charge that has succeeded this is what was captured of it in
 * all.
 */
export interface NamedMoney {
  /** In minor units. Absent: not reported. Null: not a whole number of minor units, so not the operation's amount. */
  amount?: number | null;
  currency: string;
}

/** The provider's fee for a charge. */
export interface Fee {
  /** In minor units. */
  amount: number;
  currency: string;
}

/** The step that the payer has to take. */
export interface NextAction {
  type: 'redirect' | 'confirm';
  /** Where to send the payer's browser; null if the merchant's page continues with `clientSecret`. */
  url: string | null;
  /** For the provider's script in the merchant's page. */
  clientSecret?: string;
}

/** The result of a setup. `attached`: the provider accepts charges with the method from now on. */
export type SetupOutcome =
  | ({ kind: 'attached'; reference?: string; method: ProviderMethod } & Named)
  | ({ kind: 'failed'; reference?: string; failure: Failure } & Named)
  | ({ kind: 'pending'; reference?: string } & Named)
  | ({ kind: 'needs_payer'; reference: string; nextAction: NextAction } & Named)
  | Extract<Outcome, { kind: 'rate_limited' | 'unknown' }>;

/** A kept method, as the provider answers it. `ended`: revoked, detached, blocked or used up there. */
export type MethodState =
  | ({ kind: 'usable'; method: ProviderMethod } & NamedMode)
  | ({ kind: 'ended'; failure: Failure } & NamedMode)
  | Extract<Outcome, { kind: 'rate_limited' | 'unknown' }>;
