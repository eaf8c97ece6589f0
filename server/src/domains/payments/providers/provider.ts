import type { IncomingHttpHeaders } from 'node:http';
import type { Failure } from './failures.ts';
import type {
  Agreement,
  BankAccount,
  Consent,
  CustomerAtProvider,
  KeptMethod,
  MethodType,
  ProviderMethod,
  SaveRequest,
} from './kept-method.ts';

/**
 * The interface that every payment provider implements. Each provider has a folder or file here and a line in
 * `directory.ts`; docs/guides/providers.md shows how to add one.
 *
 * A provider only translates: it decides nothing about payments and keeps no state. It reports an uncertain result as
 * `unknown`, and Florin calls `lookUp` until the result is certain (docs/decisions/payments-and-repeats.md;
 * reliability, promise 3).
 */
export interface Provider {
  /** Takes the money. Called again with the same key only after `lookUp` has returned `absent`. */
  charge(operation: ChargeOperation, call: Call): Promise<Outcome>;
  /** Refunds a charge, in full or in part. */
  refund(operation: RefundOperation, call: Call): Promise<Outcome>;
  /** Cancels a charge that has not taken the money yet. The outcome is `failed` when it is too late. */
  cancel(operation: CancelOperation, call: Call): Promise<Outcome>;
  /** Finds the result of an operation. Must not start it; may only repeat the same idempotent request. */
  lookUp(operation: Operation, call: Call): Promise<Outcome | Absent>;
  /** Verifies the signature of a callback and parses it. Throws the refusal `callback_invalid` if it is not genuine. */
  readCallback(callback: Callback, credentials: Credentials): ProviderCallback;
  /**
   * The events that Florin reads and the provider does not send to the channel's callback address; undefined if the
   * API key may not tell. Absent where the provider sends everything by itself.
   */
  unsentEvents?(callbackUrl: string, call: Call): Promise<readonly string[] | undefined>;
  /** Absent if the provider cannot keep payment methods. */
  readonly methods?: MethodProvider;
  /**
   * Absent if the provider cannot authorize payments first (`abilities.ts`). `lookUp` finds the results of these, too.
   */
  readonly captures?: CaptureProvider;
  /** Whether some of its methods need the lines and the billing address of a charge, which are read only then. */
  readonly takesPurchase?: boolean;
}

/**
 * What a provider implements that authorizes payments first, and captures them by further requests. One capture or
 * release of a payment is under way at a time, so that what the provider has captured in all decides a lost answer.
 */
export interface CaptureProvider {
  /**
   * Captures some of an authorized charge. Called again with the same key only after `lookUp` has returned `absent`.
   */
  capture(operation: CaptureOperation, call: Call): Promise<Outcome>;
  /** Releases what was not captured. `succeeded` also if nothing is left to release. */
  release(operation: ReleaseOperation, call: Call): Promise<Outcome>;
}

/** What a provider implements that keeps payment methods, so that a customer can be charged again. */
export interface MethodProvider {
  /** Whether it is certain before any call that only a real payment can keep such a method. Absent: never. */
  needsPayment?(source: SetupSource): boolean;
  /**
   * Sets a method up without moving money. Called again with the same key only after `lookUp` has returned `absent`.
   * Fails with `setup_needs_payment` where only a real payment can keep such a method.
   */
  setUp(operation: SetupOperation, call: Call): Promise<SetupOutcome>;
  /** Ends a method at the provider. `succeeded` also if it has ended there before. */
  detach(operation: DetachOperation, call: Call): Promise<Outcome>;
  /** Finds the result of a setup. Must not start it; may only repeat the same idempotent request. */
  lookUp(operation: SetupOperation, call: Call): Promise<SetupOutcome | Absent>;
  /** Reads a method as it is at the provider now. */
  read(method: KeptMethod, call: Call): Promise<MethodState>;
}

/** One request to a provider, written to the database before the first call. */
export type Operation = ChargeOperation | RefundOperation | CancelOperation | CaptureOperation | ReleaseOperation;

interface AnyOperation {
  /**
   * The idempotency key sent to the provider: `txn_…-1`, at most 64 characters of [a-z0-9_-]. It stays the same while
   * the outcome is unknown; an attempt after a definite failure is another operation with another key.
   */
  key: string;
  /** The payment's public id: `txn_…`. */
  transactionId: string;
  /** In minor units of ISO 4217. The provider converts it exactly to the unit of its API (`core/money.ts`). */
  amount: number;
  currency: string;
  description: string | null;
  /** The metadata that the merchant sent with the payment. */
  metadata: Readonly<Record<string, unknown>> | null;
  /** The provider's id of this operation, once known. */
  reference: string | null;
  createdMs: number;
  /** When it was first sent, or was about to be; null: never. Repeated keys and lists are searched from here. */
  calledMs: number | null;
}

export interface ChargeOperation extends AnyOperation, Purchase {
  kind: 'CHARGE';
  /** MANUAL: the amount is only authorized; captures follow. */
  captureMethod: 'AUTOMATIC' | 'MANUAL';
  /** The provider's token for the card or account to charge, sent with the payment: `pm_…`. */
  paymentMethod: string | null;
  /** The payment method to charge, instead of a token. */
  method: KeptMethod | null;
  /** MERCHANT: nobody is there to authenticate (off-session). Only with `method`. */
  initiator: Initiator;
  /** Keep what the payer pays with, so that the customer can be charged again; null: charge once. */
  save: SaveRequest | null;
  /** What the payer shall read on a statement: 5 to 22 characters of ASCII. Null: the provider decides. */
  statementDescriptor: string | null;
  /** How a payer pays who is there, and whose method is not known yet. */
  payerFlow: PayerFlow;
  /** Where the provider redirects the payer afterwards. */
  returnUrl: string;
  /** Where the provider sends its callbacks: /api/callback/{channel}/{token}. */
  callbackUrl: string;
}

/** What providers with `takesPurchase` are told, because some of their methods need it. */
export interface Purchase {
  /** What is bought; null: unknown. */
  lines: readonly ChargeLine[] | null;
  /** Who pays; null: unknown. */
  billingAddress: BillingAddress | null;
}

/** One of the lines of a purchase: as of an invoice. */
export interface ChargeLine {
  description: string;
  quantity: number;
  /** The price of one, without tax; negative: a credit. */
  unitAmount: number;
  /** `unitAmount` times `quantity`. */
  amount: number;
  /** In basis points: 1900 is 19 %. Null: the tax was given as an amount. */
  taxRate: number | null;
  taxAmount: number;
}

export interface BillingAddress {
  name: string | null;
  email: string | null;
  line1: string | null;
  line2: string | null;
  postalCode: string | null;
  city: string | null;
  state: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
}

export interface RefundOperation extends AnyOperation {
  kind: 'REFUND';
  /** The provider's id of the charge. */
  chargeReference: string;
  reason: string | null;
}

export interface CancelOperation extends AnyOperation {
  kind: 'CANCEL';
  /** The key of the charge, and the provider's id of it once known. */
  chargeKey: string;
  chargeReference: string | null;
  /** When the charge was recorded: it is not older at the provider. */
  chargeCreatedMs: number;
  /** When the charge was first sent, or was about to be. */
  chargeCalledMs: number;
}

/** Captures some of an authorized charge. */
export interface CaptureOperation extends AnyOperation {
  kind: 'CAPTURE';
  /** The key of the charge, and the provider's id of it. */
  chargeKey: string;
  chargeReference: string;
  /** What was authorized, and what earlier captures have taken of it. */
  authorizedAmount: number;
  capturedBefore: number;
  /** Nothing is captured afterwards. */
  isFinal: boolean;
}

/** Releases what was not captured of an authorized charge. Its amount is the rest. */
export interface ReleaseOperation extends AnyOperation {
  kind: 'RELEASE';
  chargeKey: string;
  chargeReference: string;
}

/** Who starts a payment: the payer, who is there to authenticate, or the merchant, without the payer. */
export const initiators = ['PAYER', 'MERCHANT'] as const;
export type Initiator = (typeof initiators)[number];

/**
 * REDIRECT: on a page of the provider. EMBEDDED: in the merchant's page, with the provider's script, where the provider
 * has one.
 */
export const payerFlows = ['REDIRECT', 'EMBEDDED'] as const;
export type PayerFlow = (typeof payerFlows)[number];

/** Sets a payment method up without charging it. */
export interface SetupOperation {
  kind: 'SETUP';
  /** The idempotency key sent to the provider: `mtd_…-1`. */
  key: string;
  /** The method's public id: `mtd_…`. */
  methodId: string;
  customer: CustomerAtProvider;
  /** A token of the provider's own form, or null: the payer goes to the provider. */
  token: string | null;
  /** Instead of a token: the account of a direct debit. */
  bankAccount: BankAccount | null;
  /** What the payer shall be asked for; null: whatever the provider offers. */
  type: MethodType | null;
  agreement: Agreement;
  consent: Consent | null;
  /** The metadata that the merchant sent with the method. */
  metadata?: Readonly<Record<string, unknown>> | null;
  /** The channel's first currency. Some setups are bound to one. */
  currency: string;
  /** Where the provider redirects the payer afterwards. */
  returnUrl: string;
  /** Where the provider sends its callbacks. */
  callbackUrl: string;
  /** The provider's id of this setup (`seti_…`, `cs_…`, `tr_…`), once known. */
  reference: string | null;
  createdMs: number;
  calledMs: number | null;
}

/** What a payment method is set up from. */
export type SetupSource = Pick<SetupOperation, 'token' | 'bankAccount' | 'type'>;

/** Ends a payment method at the provider. */
export interface DetachOperation {
  kind: 'DETACH';
  /** The idempotency key sent to the provider: `mtd_…-2`. */
  key: string;
  methodId: string;
  method: KeptMethod;
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

/** The channel's credentials, decrypted for one call. */
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
 * The result of an operation as the provider reports it. Only `succeeded`, `failed` and `cancelled` are final. They
 * carry the amount and currency if the provider reports them, and every result its mode; Florin discrepancies a result
 * whose amount or mode is not the operation's.
 */
export type Outcome =
  | ({
      kind: 'succeeded';
      reference: string;
      fee?: Fee;
      money?: NamedMoney;
      /** What the charge has kept, if that was asked for. Absent: the payer declined to be remembered. */
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

/** A request to the channel's callback address, unverified. */
export interface Callback {
  headers: IncomingHttpHeaders;
  query: Readonly<Record<string, string>>;
  body: Buffer;
  receivedMs: number;
}

/** A provider callback, verified and parsed. */
export interface ProviderCallback {
  /** The provider's id of this message, which identifies repeats; derived from the content if the message has no id. */
  eventId: string;
  /** Absent if the message concerns something that Florin did not start or does not track. */
  notice?: OperationUpdate;
  /** The change of a payment method that the message reports. */
  methodNotice?: MethodUpdate;
}

/** A payment method, or the setup of one, of which a callback says that it has changed. Florin then reads it. */
export interface MethodUpdate {
  /** Our key of the setup. */
  key?: string;
  /** The provider's id of the setup, of the method or mandate, or of the customer whose methods have all ended. */
  reference: string;
  of: 'SETUP' | 'METHOD' | 'CUSTOMER';
  livemode?: boolean;
}

/**
 * The change of an operation that a callback reports. The operation is identified by our key, the provider's id or
 * both.
 */
export interface OperationUpdate {
  key?: string;
  reference?: string;
  /** The mode that the callback names. */
  livemode?: boolean;
  /** Absent if the callback only says that something changed: Florin then looks the operation up. */
  outcome?: Outcome;
}
