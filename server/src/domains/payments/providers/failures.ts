/**
 * What may be done after a failure: the same again later, another payment method, a payment with the payer, nothing.
 */
export const retries = ['LATER', 'OTHER_METHOD', 'WITH_PAYER', 'NEVER'] as const;
export type Retry = (typeof retries)[number];

/**
 * Why an operation failed: one catalogue for all providers, and what may be done again.
 *
 * `fallback`: another channel may accept the same payment, so Florin tries `fallbackChannelIds`. Florin does not try a
 * stolen card at another provider.
 *
 * `retry`: LATER, the same payment method may succeed another time. OTHER_METHOD, this one never will. WITH_PAYER, only
 * if the payer takes part. NEVER, nothing is left to repeat.
 */
export const failureCodes = {
  card_declined: { fallback: true, retry: 'LATER', message: 'The card was declined without a further reason.' },
  declined_for_good: {
    fallback: false,
    retry: 'OTHER_METHOD',
    message: 'The issuer or the payer refuses this payment, wherever it is tried.',
  },
  insufficient_funds: {
    fallback: false,
    retry: 'LATER',
    message: 'There is not enough money behind this means of payment.',
  },
  limit_exceeded: {
    fallback: false,
    retry: 'LATER',
    message: 'The amount or the number of payments is over a limit of the payer.',
  },
  expired_card: { fallback: false, retry: 'OTHER_METHOD', message: 'The card has expired.' },
  invalid_card: {
    fallback: false,
    retry: 'OTHER_METHOD',
    message: 'The number, the date or the security code of the card is wrong.',
  },
  lost_or_stolen: { fallback: false, retry: 'OTHER_METHOD', message: 'The card was reported lost or stolen.' },
  suspected_fraud: { fallback: false, retry: 'OTHER_METHOD', message: 'The provider takes the payment for fraud.' },
  authentication_failed: { fallback: false, retry: 'WITH_PAYER', message: 'The payer could not be authenticated.' },
  authentication_required: {
    fallback: false,
    retry: 'WITH_PAYER',
    message: 'The issuer wants the payer to authenticate, and nobody was there.',
  },
  mandate_revoked: {
    fallback: false,
    retry: 'OTHER_METHOD',
    message: 'The payer or the bank has ended the mandate or the agreement.',
  },
  account_closed: {
    fallback: false,
    retry: 'OTHER_METHOD',
    message: "The payer's bank account is closed or does not exist.",
  },
  payment_method_missing: { fallback: false, retry: 'OTHER_METHOD', message: 'There is no payment method to charge.' },
  not_supported: {
    fallback: true,
    retry: 'OTHER_METHOD',
    message: 'The provider does not take this kind of payment, currency or amount.',
  },
  payment_expired: { fallback: false, retry: 'WITH_PAYER', message: 'The payer did not finish in time.' },
  processing_error: { fallback: true, retry: 'LATER', message: 'The provider could not process the payment.' },
  provider_unavailable: {
    fallback: true,
    retry: 'LATER',
    message: 'The provider refused to serve us; nothing was charged.',
  },
  credentials_refused: {
    fallback: true,
    retry: 'LATER',
    message: "The provider does not accept the channel's credentials.",
  },
  invalid_operation: { fallback: false, retry: 'LATER', message: 'The provider does not accept this operation.' },
  authorization_expired: {
    fallback: false,
    retry: 'NEVER',
    message: 'The authorization ended before the money was captured.',
  },
  capture_failed: { fallback: false, retry: 'NEVER', message: 'The authorized money could not be captured.' },
  refund_refused: { fallback: false, retry: 'NEVER', message: 'The provider does not give this money back.' },
  payment_disputed: {
    fallback: false,
    retry: 'NEVER',
    message: 'The payer has disputed the payment, and the money is withheld.',
  },
  refund_exceeds_payment: {
    fallback: false,
    retry: 'NEVER',
    message: 'More than is left of the payment would be given back.',
  },
  setup_needs_payment: {
    fallback: false,
    retry: 'NEVER',
    message: 'Only a real payment can keep a payment method of this type.',
  },
} as const satisfies Record<string, { fallback: boolean; retry: Retry; message: string }>;

export type FailureCode = keyof typeof failureCodes;

export interface Failure {
  code: FailureCode;
  /** The provider's code, unchanged: `do_not_honor`. */
  providerCode: string | null;
  /** A sentence for people: the provider's, or the catalogue's if the provider gives none that can be shown. */
  message: string;
}

/** A word of a provider that has no meaning here: a reason, a method, an event. */
export interface Ignored {
  /** Why. */
  ignored: string;
}

export function failure(code: FailureCode, providerCode: string | null = null, message?: string): Failure {
  return { code, providerCode, message: message ?? failureCodes[code].message };
}

/** Whether another channel may accept the payment. */
export function mayFallBack({ code }: Failure): boolean {
  return failureCodes[code].fallback;
}

/** What may be done after a failure with this code; null for a code that is not in the catalogue. */
export function retryOf(code: string | null): Retry | null {
  return isFailureCode(code) ? failureCodes[code].retry : null;
}

/**
 * Whether another channel may accept a payment that failed with this code; null for one that is not in the catalogue.
 */
export function fallbackOf(code: string | null): boolean | null {
  return isFailureCode(code) ? failureCodes[code].fallback : null;
}

/** Merchants give codes of their own to payments without a provider. */
function isFailureCode(code: string | null): code is FailureCode {
  return code !== null && Object.hasOwn(failureCodes, code);
}
