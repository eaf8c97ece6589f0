/** What a method is kept for: a series of agreed amounts, or charges that the customer causes later. */
export const agreements = ['SUBSCRIPTION', 'UNSCHEDULED'] as const;
export type Agreement = (typeof agreements)[number];

/** Kinds of payment methods, the same at all providers. They name what will be charged. */
export const methodTypes = [
  'card',
  'sepa_debit',
  'bacs_debit',
  'ach_debit',
  'becs_debit',
  'pad_debit',
  'paypal',
  'other',
] as const;
export type MethodType = (typeof methodTypes)[number];

/** How a charge without a kept method names what will be charged. */
export interface NamedMethod {
  /** A token of the provider. */
  paymentMethod?: string | null | undefined;
  /** Of the payment: the sandbox reads its words there. */
  metadata?: object | null | undefined;
}

/** How the payer agreed to later charges. Debits set up from a token need it. */
export interface Consent {
  ipAddress: string;
  userAgent: string;
  /** ISO 8601. */
  acceptedTime: string;
}

/** A payment method that was kept before. */
export interface KeptMethod {
  /** The provider's id of its customer: `cus_…`, `cst_…`. */
  customerReference: string | null;
  /** The provider's id of the method or mandate: `pm_…`, `mdt_…`. */
  reference: string;
  type: MethodType;
  /** The provider's word for the type. */
  providerType: string;
  agreement: Agreement;
  /** The network's id of the first payment, if the provider has told it. */
  networkTransactionId: string | null;
}

/** The customer at the provider that a method is kept with. Each customer has one for each channel. */
export interface CustomerAtProvider {
  /** The provider's id, once known. Null: create it, under `key`. */
  reference: string | null;
  /** The idempotency key for creating it, the same for every operation of the customer on this channel. */
  key: string;
  name: string;
  email: string | null;
  /** The channel's mode. A customer of the other one is not used. */
  livemode: boolean;
}

export interface SaveRequest {
  customer: CustomerAtProvider;
  agreement: Agreement;
  consent: Consent | null;
}

export interface BankAccount {
  holder: string;
  iban: string;
}

/** A payment method as the provider has kept it. Never a token of a card, never more of a number than `last4`. */
export interface ProviderMethod extends Omit<KeptMethod, 'agreement'> {
  brand: string | null;
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  bankName: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** Equal for the same card or account at the same provider account: the provider's own, or one made of it. */
  fingerprint: string | null;
  /** What the payer's bank shows of a debit's mandate. */
  mandateReference: string | null;
  mandateUrl: string | null;
}
