import type { IncomingHttpHeaders } from 'node:http';
import type { Failure } from './failures.ts';

/**
 * What Florin asks of a payment provider: five verbs, each answered by an `Outcome`. Every provider is one folder or file
 * here and one line in `providers.ts`; docs/guides/providers.md shows how to add one.
 *
 * A connector decides nothing about payments and keeps no state of its own: it translates. What it is not sure of it calls
 * unknown, and is asked again by `lookUp` until the provider says (decisions, Transactions; reliability, promise 3).
 */
export interface Provider {
  /** Takes the money. Called again with the same key only after `lookUp` said absent. */
  charge(operation: ChargeOperation, call: Call): Promise<Outcome>;
  /** Gives money of a charge back. */
  refund(operation: RefundOperation, call: Call): Promise<Outcome>;
  /** Calls a charge off that has not taken the money yet: cancelled, or failed where it is too late. */
  cancel(operation: CancelOperation, call: Call): Promise<Outcome>;
  /** Asks what became of an operation. It must not start it; only the same idempotent request again is allowed. */
  lookUp(operation: Operation, call: Call): Promise<Outcome | Absent>;
  /** Checks the signature of a callback and reads it. Throws the refusal `callback_invalid` when it is not the provider's. */
  readCallback(callback: Callback, credentials: Credentials): CallbackNews;
}

/** One thing asked of a provider, written to the database before the first call. */
export type Operation = ChargeOperation | RefundOperation | CancelOperation;

interface AnyOperation {
  /**
   * The provider's idempotency key: `txn_…-1`. It stays while the outcome is unknown; a new try after a definite failure is
   * another operation with another key. At most 64 characters of [a-z0-9_-].
   */
  key: string;
  /** The payment's public id: `txn_…`. */
  transactionId: string;
  /** In minor units of ISO 4217. The connector converts it to the unit its provider wants, exactly (`core/money.ts`). */
  amount: number;
  currency: string;
  description: string | null;
  /** What the merchant sent with the payment. */
  metadata: Readonly<Record<string, unknown>> | null;
  /** The provider's own id of this operation, once it has told one. */
  reference: string | null;
  createdMs: number;
}

export interface ChargeOperation extends AnyOperation {
  kind: 'CHARGE';
  /** The provider's token for what is paid with, given with the payment: `pm_…`. */
  paymentMethod: string | null;
  /** Where the payer's browser goes when it is done at the provider. */
  returnUrl: string;
  /** Where the provider tells what became of it: /api/callback/{channel}. */
  callbackUrl: string;
}

export interface RefundOperation extends AnyOperation {
  kind: 'REFUND';
  /** The provider's id of the charge. */
  chargeReference: string;
  reason: string | null;
}

export interface CancelOperation extends AnyOperation {
  kind: 'CANCEL';
  /** The key and the provider's id of the charge; it may have told none yet. */
  chargeKey: string;
  chargeReference: string | null;
}

/** The channel's credentials, unsealed for this one call. */
export interface Credentials {
  apiKey: string | null;
  apiSecret: string | null;
  webhookSecret: string | null;
}

export interface Call {
  credentials: Credentials;
  channelId: number;
  /** One deadline for the whole call: `app.provider.timeout`. When it fires, the outcome is unknown. */
  signal: AbortSignal;
  /** The same deadline in ms, for libraries that take a number. */
  timeoutMs: number;
}

/**
 * What a provider said of an operation. Only `succeeded`, `failed` and `cancelled` are final; they carry the amount and
 * currency that the provider named, where it named them, and are not believed when these are not the operation's.
 */
export type Outcome =
  | { kind: 'succeeded'; reference: string; fee?: Fee; money?: NamedMoney }
  /** Definitely not done, and it never will be under this key. */
  | { kind: 'failed'; reference?: string; failure: Failure; money?: NamedMoney }
  /** Called off, by us or by the payer, with the provider's word for it. */
  | { kind: 'cancelled'; reference?: string; money?: NamedMoney }
  /** Under way at the provider; a callback or a look-up will tell. */
  | { kind: 'pending'; reference?: string }
  | { kind: 'needs_payer'; reference: string; nextAction: NextAction }
  /**
   * A timeout, a cut connection, a 5xx: it may have happened or not. So is a success of another amount or currency than the
   * operation's, where the connector has compared them itself (`mismatch`).
   */
  | { kind: 'unknown'; cause: unknown; mismatch?: { kind: 'succeeded'; reference: string; money?: NamedMoney } };

/** The provider has never heard of this operation: calling it (again) is safe. */
export interface Absent {
  kind: 'absent';
}

/**
 * What the provider says was moved: of a charge what was taken, which after a partial capture is less than was asked for.
 */
export interface NamedMoney {
  /** In minor units. Absent: not named. Null: it is no whole number of them, so that it is surely not what was asked for. */
  amount?: number | null;
  currency: string;
}

/** What the provider keeps for itself, in minor units. */
export interface Fee {
  amount: number;
  currency: string;
}

/** What the payer has to do, and where. */
export interface NextAction {
  type: 'redirect' | 'confirm';
  /** Where to send the payer's browser; null where the merchant's own page goes on with `clientSecret`. */
  url: string | null;
  /** For a provider's own script in the merchant's page. */
  clientSecret?: string;
}

/** A request to /api/callback/{channel}, as it came. */
export interface Callback {
  headers: IncomingHttpHeaders;
  query: Readonly<Record<string, string>>;
  body: Buffer;
  receivedMs: number;
}

export interface CallbackNews {
  /** The provider's own id of this message, by which a repeat is told; made from its content where it has none. */
  eventId: string;
  /** Absent where the message is of something that Florin did not start or does not follow. */
  notice?: Notice;
}

/** What a callback tells of an operation, named by our key or by the provider's id, whichever it carries. */
export interface Notice {
  key?: string;
  reference?: string;
  /** Absent where the callback only says that something changed: it is then looked up. */
  outcome?: Outcome;
}
