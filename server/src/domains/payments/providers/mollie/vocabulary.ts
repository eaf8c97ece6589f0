import type { DisputeReason } from '../dispute.ts';
import type { FailureCode, Ignored } from '../failures.ts';
import type { MethodType } from '../kept-method.ts';

/**
 * What becomes of Mollie's statuses, reasons, methods and events. `server/tests/conformance` compares these tables with
 * Mollie's published document: a word that it adds breaks the test.
 */

export const paymentStatuses = {
  open: 'needs_payer',
  pending: 'pending',
  // Waits for the capture. One that is captured automatically, by a method that only authorizes, is pending until then.
  authorized: 'authorized',
  paid: 'succeeded',
  canceled: 'cancelled',
  expired: 'payment_expired',
  failed: 'failed',
} as const;

/** https://docs.mollie.com/reference/get-capture */
export const captureStatuses = { pending: 'pending', succeeded: 'succeeded', failed: 'failed' } as const;

export const refundStatuses = {
  queued: 'pending',
  pending: 'pending',
  processing: 'pending',
  refunded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
} as const;

/** A pending mandate waits for the first payment to end or for the IBAN, and can be charged meanwhile. */
export const mandateStatuses: Readonly<Record<string, 'usable' | 'ended'>> = {
  valid: 'usable',
  pending: 'usable',
  invalid: 'ended',
};

/** What is charged with a mandate, whatever the first payment was made with: after iDEAL it is a direct debit. */
export const mandateMethods: Readonly<Record<string, MethodType>> = {
  creditcard: 'card',
  directdebit: 'sepa_debit',
  paypal: 'paypal',
};

/**
 * `details.failureReason` of a payment. Methods have their own reasons beside these or none: these become
 * `processing_error`, with Mollie's reason as the provider code.
 */
export const failureReasons: Readonly<Record<string, FailureCode>> = {
  authentication_abandoned: 'authentication_failed',
  authentication_failed: 'authentication_failed',
  authentication_required: 'authentication_required',
  authentication_unavailable_acs: 'authentication_failed',
  card_declined: 'card_declined',
  card_expired: 'expired_card',
  inactive_card: 'invalid_card',
  insufficient_funds: 'insufficient_funds',
  invalid_card_holder_name: 'invalid_card',
  invalid_card_number: 'invalid_card',
  invalid_card_type: 'not_supported',
  invalid_cvv: 'invalid_card',
  possible_fraud: 'suspected_fraud',
  refused_by_issuer: 'card_declined',
  unknown_reason: 'card_declined',
};

/** `statusReason.code`, which only payments at a terminal have, by the code of our catalogue. */
const statusReasonWords: Partial<Record<FailureCode, string>> = {
  card_declined:
    'refer_to_card_issuer capture_card do_not_honor error invalid_transaction security_violation ' +
    'no_reason_to_decline honor_with_id contact_card_issuer lifecycle_related policy_related no_action_taken ' +
    'refer_to_card_issuer_special_condition transaction_not_permitted_to_cardholder vip_approval ' +
    'negative_online_cam_result unable_to_go_online card_is_blocked card_not_available',
  declined_for_good:
    'duplicate_transaction stop_payment_order violation_of_law transaction_does_not_fulfill_aml_requirement ' +
    'transaction_reversed',
  mandate_revoked: 'revocation_of_authorization revocation_of_all_authorizations',
  insufficient_funds: 'insufficient_funds partial_approval',
  limit_exceeded:
    'exceeds_withdrawal_amount_limit exceeds_withdrawal_count_limit cashback_request_exceeds_issuer_limit ' +
    'transaction_amount_exceeds_pre_authorized_amount',
  expired_card: 'expired_card',
  invalid_card:
    'invalid_card_number invalid_pin cannot_verify_pin pin_not_changed unacceptable_pin unsafe_pin ' +
    'pin_data_required pin_change_unblock_request_declined pin_cryptographic_error_found decline_for_cvv2_failure ' +
    'invalid_account_number invalid_nonexistent_to_account_specified invalid_nonexistent_from_account_specified ' +
    'invalid_nonexistent_account_specified no_credit_account no_checking_account no_savings_account ' +
    'blocked_first_used card_does_not_exist invalid_card_id card_is_transferred card_is_not_active invalid_ean_code',
  account_closed: 'closed_account',
  lost_or_stolen: 'lost_card stolen_card restricted_card pick_up_card_special_condition',
  suspected_fraud: 'suspected_fraud fraud_security_related',
  authentication_required: 'additional_customer_authentication_required',
  authentication_failed: 'allowable_number_of_pin_tries_exceeded card_authentication_failed authorization_error',
  not_supported:
    'invalid_amount invalid_currency transaction_not_allowed_at_terminal domestic_debit_transaction_not_allowed ' +
    'purchase_amount_only_no_cash_back_allowed cash_service_not_available transaction_not_permitted_at_terminal ' +
    'incorrect_purchase_value wrong_currency merchant_not_registered_for_amex merchant_not_registered_vbv ' +
    'cvv2_not_allowed missing_cvv2_cvc2',
  credentials_refused:
    'invalid_merchant merchant_id_not_found merchant_account_closed terminal_id_not_found terminal_closed ' +
    'invalid_category_code agreement_terminal_not_related invalid_processor_id invalid_merchant_data ' +
    'sub_merchant_account_closed invalid_retailer login_failed_without_reason login_failed_unknown_user ' +
    'login_failed_invalid_password',
  processing_error:
    'invalid_issuer issuer_unavailable unable_to_route_transaction system_malfunction format_error ' +
    'invalid_authorization_life_cycle cryptographic_failure re_enter_transaction unable_to_locate_record ' +
    'file_temporarily_unavailable unable_to_locate_previous_message previous_message_located_inconsistent_data ' +
    'credit_issuer_unavailable force_stip invalid_biller_information forward_to_issuer_xa forward_to_issuer_xd ' +
    'terminal_busy terminal_unreachable service_failed invalid_operation',
};

export const statusReasons: Readonly<Record<string, FailureCode | Ignored>> = {
  ...Object.fromEntries(
    Object.entries(statusReasonWords).flatMap(([code, words]) =>
      words.split(' ').map((word) => [word, code as FailureCode]),
    ),
  ),
  approved_or_completed_successfully: { ignored: 'the payment is paid' },
};

/**
 * `details.bankReasonCode` of a direct debit: reason codes of the SEPA rulebooks. Mollie's document does not list them:
 * https://www.europeanpaymentscouncil.eu/document-library/guidance-documents/guidance-reason-codes-sepa-direct-debit-r-transactions
 */
export const bankReasons: Readonly<Record<string, FailureCode>> = {
  AC01: 'account_closed',
  AC04: 'account_closed',
  AC06: 'declined_for_good',
  AC13: 'declined_for_good',
  AG01: 'declined_for_good',
  AG02: 'processing_error',
  AM04: 'insufficient_funds',
  AM05: 'processing_error',
  BE05: 'processing_error',
  CNOR: 'processing_error',
  DNOR: 'processing_error',
  FF01: 'processing_error',
  MD01: 'mandate_revoked',
  MD02: 'mandate_revoked',
  MD06: 'declined_for_good',
  MD07: 'account_closed',
  MS02: 'declined_for_good',
  MS03: 'card_declined',
  RC01: 'account_closed',
  RR01: 'processing_error',
  RR02: 'processing_error',
  RR03: 'processing_error',
  RR04: 'declined_for_good',
  SL01: 'declined_for_good',
};

/**
 * `reason.code` of a chargeback, which only those of direct debits have: the same codes. What a bank sends back has
 * been `returned`; only MD01 says that the payer has not authorized it. MD06, MS02 and AM05 are claims of a payer about
 * a debit that was authorized.
 */
export const chargebackReasons: Readonly<Record<string, DisputeReason>> = {
  AC01: 'returned',
  AC04: 'returned',
  AC06: 'returned',
  AC13: 'returned',
  AG01: 'returned',
  AG02: 'returned',
  AM04: 'returned',
  AM05: 'duplicate',
  BE05: 'returned',
  CNOR: 'returned',
  DNOR: 'returned',
  FF01: 'returned',
  MD01: 'not_authorized',
  MD02: 'returned',
  MD06: 'other',
  MD07: 'returned',
  MS02: 'other',
  MS03: 'returned',
  RC01: 'returned',
  RR01: 'returned',
  RR02: 'returned',
  RR03: 'returned',
  RR04: 'returned',
  SL01: 'returned',
};

/** What a payment must have for a method: https://docs.mollie.com/reference/create-payment. */
export type Need = 'lines' | 'billingAddress';

const payLater = { needs: ['lines', 'billingAddress'] as const };

/** With one of these as `paymentMethod`, the payer skips the page on which a method is chosen. */
export const methods: Readonly<Record<string, 'offered' | { needs: readonly Need[] } | Ignored>> = {
  alma: { needs: ['billingAddress'] },
  applepay: 'offered',
  bacs: 'offered',
  bancomatpay: 'offered',
  bancontact: 'offered',
  banktransfer: 'offered',
  belfius: 'offered',
  billie: payLater,
  billink: payLater,
  bizum: 'offered',
  blik: 'offered',
  creditcard: 'offered',
  directdebit: { ignored: 'Mollie takes it only with a mandate of the customer' },
  eps: 'offered',
  giftcard: 'offered',
  ideal: 'offered',
  in3: payLater,
  kbc: 'offered',
  klarna: payLater,
  mbway: 'offered',
  mobilepay: 'offered',
  multibanco: 'offered',
  mybank: 'offered',
  paybybank: 'offered',
  paypal: 'offered',
  paysafecard: 'offered',
  pointofsale: { ignored: 'Mollie takes it only with the id of a terminal' },
  przelewy24: 'offered',
  riverty: payLater,
  satispay: 'offered',
  swish: 'offered',
  trustly: 'offered',
  twint: 'offered',
  vipps: 'offered',
  voucher: { ignored: 'Mollie takes it only with the category of each line, which lines in Florin do not have' },
};

/** The methods that can be captured later: https://docs.mollie.com/docs/place-a-hold-for-a-payment. */
const authorized: ReadonlySet<string> = new Set([
  'applepay',
  'billie',
  'creditcard',
  'klarna',
  'mobilepay',
  'riverty',
  'vipps',
]);

/** The method that a token names, if it cannot be captured later. */
export function methodCapturedAtOnce(token: string | null): string | undefined {
  return token !== null && Object.hasOwn(methods, token) && !authorized.has(token) ? token : undefined;
}

/** Next-gen events. All that are `read` lead to a look-up of the payment, refund or chargeback that they name. */
export const events: Readonly<Record<string, 'read' | Ignored>> = {
  'payment.paid': 'read',
  'payment.authorized': 'read',
  'payment.failed': 'read',
  'payment.canceled': 'read',
  'payment.expired': 'read',
  'payment.pending': 'read',
  'refund.queued': 'read',
  'refund.pending': 'read',
  'refund.processing': 'read',
  'refund.refunded': 'read',
  'refund.failed': 'read',
  'refund.canceled': 'read',
  'capture.succeeded': { ignored: 'an event of the payment follows' },
  'capture.failed': { ignored: 'the payment stays authorized' },
  'chargeback.received': 'read',
  'chargeback.reversed': 'read',
  'payout.initiated': { ignored: 'Florin does not keep settlements' },
  'payout.processing-at-bank': { ignored: 'Florin does not keep settlements' },
  'payout.completed': { ignored: 'Florin does not keep settlements' },
  'payout.canceled': { ignored: 'Florin does not keep settlements' },
  'payout.failed': { ignored: 'Florin does not keep settlements' },
  'balance-transaction.created': { ignored: 'Florin does not keep settlements' },
  'payment-link.paid': { ignored: 'Florin makes no payment links at Mollie' },
};
