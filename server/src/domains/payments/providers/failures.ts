/**
 * Why an operation failed: one catalogue for all providers. `retriable`: another channel may accept the same payment,
 * so Florin tries `fallbackChannelIds`. For any other failure another attempt would be refused too, or do harm: Florin
 * does not try a stolen card at another provider.
 */
export const failureCodes = {
  card_declined: { retriable: true, message: 'The card was declined without a further reason.' },
  declined_for_good: {
    retriable: false,
    message: 'The issuer or the payer refuses this payment, wherever it is tried.',
  },
  insufficient_funds: { retriable: false, message: 'There is not enough money behind this means of payment.' },
  limit_exceeded: { retriable: false, message: 'The amount or the number of payments is over a limit of the payer.' },
  expired_card: { retriable: false, message: 'The card has expired.' },
  invalid_card: { retriable: false, message: 'The number, the date or the security code of the card is wrong.' },
  lost_or_stolen: { retriable: false, message: 'The card was reported lost or stolen.' },
  suspected_fraud: { retriable: false, message: 'The provider takes the payment for fraud.' },
  authentication_failed: { retriable: false, message: 'The payer could not be authenticated.' },
  authentication_required: {
    retriable: false,
    message: 'The issuer wants the payer to authenticate, and nobody was there.',
  },
  mandate_revoked: { retriable: false, message: 'The payer or the bank has ended the mandate or the agreement.' },
  account_closed: { retriable: false, message: "The payer's bank account is closed or does not exist." },
  not_supported: { retriable: true, message: 'The provider does not take this kind of payment, currency or amount.' },
  payment_expired: { retriable: false, message: 'The payer did not finish in time.' },
  processing_error: { retriable: true, message: 'The provider could not process the payment.' },
  provider_unavailable: { retriable: true, message: 'The provider refused to serve us; nothing was charged.' },
  credentials_refused: { retriable: true, message: "The provider does not accept the channel's credentials." },
  invalid_operation: { retriable: false, message: 'The provider does not accept this operation.' },
  refund_refused: { retriable: false, message: 'The provider does not give this money back.' },
} as const;

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

export function isRetriable({ code }: Failure): boolean {
  return failureCodes[code].retriable;
}
