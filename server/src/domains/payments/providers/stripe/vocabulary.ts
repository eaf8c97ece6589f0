import type { Ignored } from '../failures.ts';
import type { MethodType } from '../kept-method.ts';

/**
 * What becomes of Stripe's statuses, reasons, actions and events. `server/tests/conformance` compares these tables with
 * Stripe's published document: a word that it adds breaks the test. Codes of errors are in `error-codes.ts`.
 */

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
export const intentStatuses: Readonly<
  Record<string, 'succeeded' | 'authorized' | 'canceled' | 'needs_payer' | 'pending'>
> = {
  succeeded: 'succeeded',
  canceled: 'canceled',
  requires_payment_method: 'needs_payer',
  requires_confirmation: 'needs_payer',
  requires_action: 'needs_payer',
  processing: 'pending',
  requires_capture: 'authorized',
};

/**
 * Why an intent was canceled. Florin cancels a declined intent as `abandoned`: it has failed if there was an attempt to
 * pay.
 */
export const cancellationReasons: Readonly<Record<string, 'cancelled' | 'failed_if_attempted' | 'payment_expired'>> = {
  abandoned: 'failed_if_attempted',
  automatic: 'payment_expired',
  duplicate: 'cancelled',
  expired: 'payment_expired',
  failed_invoice: 'cancelled',
  fraudulent: 'cancelled',
  requested_by_customer: 'cancelled',
  void_invoice: 'cancelled',
};

const byScript: Ignored = { ignored: "Stripe's script in the merchant's page shows it" };

/** The member of a next action with the address of the page to which the payer is sent. */
export const pagesOfActions: Readonly<Record<string, string | Ignored>> = {
  alipay_handle_redirect: 'url',
  blik_authorize: { ignored: 'the payer confirms in the app of the bank' },
  boleto_display_details: 'hosted_voucher_url',
  card_await_notification: { ignored: 'the network announces the charge to the payer, and nobody has to do anything' },
  cashapp_handle_redirect_or_display_qr_code: 'hosted_instructions_url',
  display_bank_transfer_instructions: 'hosted_instructions_url',
  klarna_display_qr_code: byScript,
  konbini_display_details: 'hosted_voucher_url',
  multibanco_display_details: 'hosted_voucher_url',
  oxxo_display_details: 'hosted_voucher_url',
  paynow_display_qr_code: 'hosted_instructions_url',
  pix_display_qr_code: 'hosted_instructions_url',
  promptpay_display_qr_code: 'hosted_instructions_url',
  redirect_to_url: 'url',
  swish_handle_redirect_or_display_qr_code: 'hosted_instructions_url',
  upi_handle_redirect_or_display_qr_code: 'hosted_instructions_url',
  use_stripe_sdk: byScript,
  verify_with_microdeposits: 'hosted_verification_url',
  wechat_pay_display_qr_code: 'hosted_instructions_url',
  wechat_pay_redirect_to_android_app: byScript,
  wechat_pay_redirect_to_ios_app: byScript,
};

/**
 * Our type for each type of payment method (https://docs.stripe.com/api/payment_methods/object). What is charged again
 * after iDEAL, Bancontact and Sofort is the SEPA debit that they generate.
 */
export const methodTypes: Readonly<Record<string, MethodType>> = {
  card: 'card',
  sepa_debit: 'sepa_debit',
  bacs_debit: 'bacs_debit',
  us_bank_account: 'ach_debit',
  au_becs_debit: 'becs_debit',
  acss_debit: 'pad_debit',
  paypal: 'paypal',
  ...Object.fromEntries(
    (
      'affirm afterpay_clearpay alipay alma amazon_pay bancontact billie bizum blik boleto card_present ' +
      'cashapp crypto custom customer_balance eps fpx giropay grabpay ideal interac_present kakao_pay ' +
      'klarna konbini kr_card link mb_way mobilepay multibanco naver_pay nz_bank_account oxxo p24 ' +
      'pay_by_bank payco paynow paypay payto pix promptpay revolut_pay samsung_pay satispay scalapay ' +
      'sequra sofort sunbit swish twint upi wechat_pay zip'
    )
      .split(' ')
      .map((type) => [type, 'other'] as const),
  ),
};

/** Not offered on a page, or not to be excluded from it: Link fills in a card. */
const neverExcluded = ['card_present', 'custom', 'interac_present', 'link', 'paypay', 'sequra'];

/** The types that can be excluded from a page: `excluded_payment_method_types`. */
export const excludableTypes: readonly string[] = Object.keys(methodTypes).filter(
  (type) => !neverExcluded.includes(type),
);

/** https://docs.stripe.com/api/mandates/object. A pending one is on its way to the bank, and can be charged. */
export const mandateStatuses: Readonly<Record<string, 'usable' | 'ended'>> = {
  active: 'usable',
  inactive: 'ended',
  pending: 'usable',
};

/** https://docs.stripe.com/api/setup_intents/object#setup_intent_object-status */
export const setupStatuses: Readonly<Record<string, 'attached' | 'failed' | 'needs_payer' | 'pending'>> = {
  canceled: 'failed',
  processing: 'pending',
  requires_action: 'needs_payer',
  requires_confirmation: 'failed',
  requires_payment_method: 'failed',
  succeeded: 'attached',
};

/** https://docs.stripe.com/api/checkout/sessions/object#checkout_session_object-status */
export const sessionStatuses: Readonly<Record<string, 'needs_payer' | 'expired' | 'complete'>> = {
  complete: 'complete',
  expired: 'expired',
  open: 'needs_payer',
};

/** https://docs.stripe.com/api/refunds/object */
export const refundStatuses: Readonly<Record<string, 'succeeded' | 'failed' | 'cancelled' | 'pending'>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'cancelled',
  pending: 'pending',
  // Stripe itself has sent the payer an email.
  requires_action: 'pending',
};

/** All become `refund_refused`, with Stripe's word as provider code. */
export const refundFailureReasons: readonly string[] = [
  'charge_for_pending_refund_disputed',
  'declined',
  'expired_or_canceled_card',
  'insufficient_funds',
  'lost_or_stolen_card',
  'merchant_request',
  'unknown',
];

/**
 * What an event carries: the outcome of a payment or a refund, or only that something changed, which leads to a look-up
 * of the payment, the page or the setup, or to a reading of the methods, of the dispute, or of the charge's money.
 */
export type EventMeaning =
  | 'payment'
  | 'payment_changed'
  | 'refund'
  | 'page'
  | 'setup'
  | 'method'
  | 'mandate'
  | 'customer'
  | 'dispute'
  | 'fraud_warning'
  | 'failed_charge';

/** Events by what they carry. */
export const events: Readonly<Record<string, EventMeaning | Ignored>> = {
  'payment_intent.succeeded': 'payment',
  'payment_intent.processing': 'payment',
  'payment_intent.requires_action': 'payment',
  'payment_intent.canceled': 'payment',
  // Not final: the payer may try again in the merchant's page, or Florin must first cancel the intent.
  'payment_intent.payment_failed': 'payment_changed',
  'payment_intent.created': { ignored: 'Florin has created it' },
  // The look-up shows until when.
  'payment_intent.amount_capturable_updated': 'payment_changed',
  'payment_intent.partially_funded': { ignored: 'the payment is still open; the rest or its end follows' },
  'refund.created': 'refund',
  'refund.updated': 'refund',
  'refund.failed': 'refund',
  'charge.refund.updated': 'refund',
  'charge.refunded': { ignored: 'it does not name the refund; `refund.*` follows' },
  ...ignoredEvents('events of the payment intent follow', [
    'charge.captured',
    'charge.expired',
    'charge.pending',
    'charge.succeeded',
    'charge.updated',
  ]),
  // A debit may fail after it has succeeded: then the charge has the booking by which its money left again.
  'charge.failed': 'failed_charge',
  'charge.dispute.closed': 'dispute',
  'charge.dispute.created': 'dispute',
  'charge.dispute.funds_reinstated': 'dispute',
  'charge.dispute.funds_withdrawn': 'dispute',
  'charge.dispute.updated': 'dispute',
  'radar.early_fraud_warning.created': 'fraud_warning',
  'radar.early_fraud_warning.updated': { ignored: 'the warning was told before; it changes when nothing can be done' },
  'checkout.session.completed': 'page',
  'checkout.session.expired': 'page',
  'checkout.session.async_payment_succeeded': 'page',
  'checkout.session.async_payment_failed': 'page',
  'setup_intent.succeeded': 'setup',
  'setup_intent.setup_failed': 'setup',
  'setup_intent.canceled': 'setup',
  'setup_intent.created': { ignored: 'Florin has created it' },
  'setup_intent.requires_action': { ignored: 'the answer or the page has led the payer to the step' },
  'payment_method.automatically_updated': 'method',
  'payment_method.updated': 'method',
  'payment_method.detached': 'method',
  'payment_method.attached': { ignored: 'the payment or the setup that keeps the method tells of it' },
  'mandate.updated': 'mandate',
  'customer.deleted': 'customer',
  ...ignoredEvents('Florin does not keep settlements', [
    'payout.canceled',
    'payout.created',
    'payout.failed',
    'payout.paid',
    'payout.reconciliation_completed',
    'payout.updated',
  ]),
  ...ignoredEvents("the review is the merchant's; the payment's own events follow", ['review.closed', 'review.opened']),
};

function ignoredEvents(ignored: string, types: readonly string[]): Record<string, Ignored> {
  return Object.fromEntries(types.map((type) => [type, { ignored }]));
}
