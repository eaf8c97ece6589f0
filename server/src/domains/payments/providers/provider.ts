import type { IncomingHttpHeaders } from 'node:http';
import type {
  AcceptDisputeOperation,
  ChargeNotice,
  DisputeNotice,
  DisputePage,
  DisputeReading,
  DisputeReference,
  FraudWarning,
  RefundNotice,
  RefundReading,
  RefundReference,
  SubmitEvidenceOperation,
  Unanswered,
} from './dispute.ts';
import type {
  Agreement,
  BankAccount,
  Consent,
  CustomerAtProvider,
  KeptMethod,
  MethodType,
  SaveRequest,
} from './kept-method.ts';
import type { Absent, MethodState, Outcome, SetupOutcome } from './outcome.ts';

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
  /** Absent if the provider tells of no disputes. */
  readonly disputes?: DisputeProvider;
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
  /**
   * Takes over a method (`token`) that the provider keeps already for its customer `customerReference`: it is only
   * read. Absent if the provider cannot tell by a method's id whose it is.
   */
  adopt?(operation: SetupOperation, call: Call): Promise<SetupOutcome>;
  /**
   * Ends a setup that its payer has not finished in time. `failed` once nobody can finish it any more; otherwise what
   * has become of it. Absent where the provider ends it by itself. Repeating it is harmless.
   */
  giveUp?(operation: SetupOperation, call: Call): Promise<SetupOutcome>;
  /** Ends a method at the provider. `succeeded` also if it has ended there before. */
  detach(operation: DetachOperation, call: Call): Promise<Outcome>;
  /** Finds the result of a setup. Must not start it; may only repeat the same idempotent request. */
  lookUp(operation: SetupOperation, call: Call): Promise<SetupOutcome | Absent>;
  /** Reads a method as it is at the provider now. */
  read(method: KeptMethod, call: Call): Promise<MethodState>;
}

/** What a provider implements that tells of disputes: chargebacks, and money that comes back without one. */
export interface DisputeProvider {
  /** Reads a dispute as it is at the provider now. A callback only says that it changed. */
  read(reference: DisputeReference, call: Call): Promise<DisputeReading>;
  /**
   * One page of what began or changed since a time, with refunds that may have been made elsewhere. Read again and
   * again, and overlapping, so that nothing depends on callbacks. `cursor`: null, or `next` of the page before.
   */
  listSince(sinceMs: number, cursor: string | null, call: Call): Promise<DisputePage | Unanswered>;
  /**
   * All disputes of a charge, and refunds of it that may have been made elsewhere, as `listSince`. For callbacks that
   * only say that something of the charge has changed; absent where callbacks name what has.
   */
  listOf?(charge: string, cursor: string | null, call: Call): Promise<DisputePage | Unanswered>;
  /** Reads a refund of which a callback told, and that Florin may not have sent. */
  readRefund(reference: RefundReference, call: Call): Promise<RefundReading>;
  /** Absent where disputes cannot be answered. */
  readonly answers?: DisputeAnswers;
}

/**
 * Called again with the same key as long as the outcome is unknown, once reading the dispute has shown that it was not
 * carried out.
 */
export interface DisputeAnswers {
  /** Uploads the files first. `succeeded` also if the provider has this answer already. */
  submit(operation: SubmitEvidenceOperation, call: Call): Promise<Outcome>;
  accept(operation: AcceptDisputeOperation, call: Call): Promise<Outcome>;
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
  /** The provider's id of the customer for whom it keeps the token already; null: the token is new. */
  customerReference: string | null;
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
  disputeNotice?: DisputeNotice;
  refundNotice?: RefundNotice;
  fraudWarning?: FraudWarning;
  chargeNotice?: ChargeNotice;
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
