import type { FailureCode } from '../failures.ts';

/**
 * Stripe's codes for a declined payment, by the code of our catalogue: the decline codes of
 * https://docs.stripe.com/declines/codes (cards first, then other payment methods), and those error codes of
 * https://docs.stripe.com/error-codes that come as `card_error` or as `last_payment_error` of an intent.
 */
const declineCodes: Partial<Record<FailureCode, string>> = {
  card_declined:
    'approve_with_id call_issuer card_declined do_not_honor generic_decline no_action_taken not_permitted ' +
    'security_violation service_not_allowed testmode_decline transaction_not_allowed ' +
    'invalid_customer_account partner_generic_decline ' +
    'payment_intent_payment_attempt_failed setup_attempt_failed ' +
    'payment_method_provider_decline payment_method_restricted refer_to_customer',
  // The issuer or the payer has just paid the same or forbids it: an attempt at another provider would do harm.
  declined_for_good:
    'do_not_try_again duplicate_transaction stop_payment_order compliance_violation payment_disputed ' +
    'payment_method_customer_decline action_blocked request_blocked',
  mandate_revoked:
    'revocation_of_all_authorizations revocation_of_authorization invalid_authorization invalid_billing_agreement ' +
    'debit_not_authorized payment_intent_mandate_invalid setup_intent_mandate_invalid billing_invalid_mandate ' +
    'india_recurring_payment_mandate_canceled',
  insufficient_funds: 'insufficient_funds',
  limit_exceeded:
    'card_velocity_exceeded invalid_amount withdrawal_count_limit_exceeded payment_limit_exceeded ' +
    'card_decline_rate_limit_exceeded charge_exceeds_source_limit charge_exceeds_transaction_limit',
  expired_card: 'expired_card expired_payment_information expired_payment_method',
  invalid_card:
    'incorrect_address incorrect_cvc incorrect_number incorrect_pin incorrect_zip invalid_account invalid_cvc ' +
    'invalid_expiry_month invalid_expiry_year invalid_number invalid_pin new_account_information_available ' +
    'invalid_payment_information account_number_invalid bank_account_bad_routing_numbers bank_account_declined ' +
    'bank_account_restricted bank_account_unusable bank_account_unverified bank_account_verification_failed ' +
    'incorrect_postal_code payment_method_bank_account_blocked payment_method_microdeposit_failed ' +
    'payment_method_microdeposit_verification_attempts_exceeded payment_method_microdeposit_verification_timeout ' +
    'routing_number_invalid',
  account_closed: 'account_closed no_account',
  lost_or_stolen: 'lost_card pickup_card restricted_card stolen_card',
  suspected_fraud: 'fraudulent merchant_blacklist partner_high_risk_customer',
  authentication_required:
    'authentication_required authentication_not_handled mobile_device_authentication_required ' +
    'payment_intent_action_required approval_required',
  authentication_failed:
    'offline_pin_required online_or_offline_pin_required pin_try_exceeded authentication_failure ' +
    'payment_intent_authentication_failure setup_intent_authentication_failure ' +
    'three_d_secure_authentication_not_supported',
  not_supported:
    'card_not_supported currency_not_supported invalid_business_account partner_action_not_supported ' +
    'recurring_not_supported_by_bank',
  payment_expired: 'payment_intent_payment_attempt_expired setup_intent_setup_attempt_expired',
  processing_error:
    'issuer_not_available processing_error reenter_transaction try_again_later partner_payment_not_found ' +
    'payment_method_not_available payment_method_provider_timeout three_d_secure_authentication_upstream_error ' +
    'payment_intent_konbini_rejected_confirmation_number payment_method_microdeposit_processing_error',
};

/**
 * Codes with which Stripe refuses our request before anybody was asked for money. All others are `invalid_operation`:
 * the request is wrong, and would be wrong at any channel.
 */
const refusalCodes: Partial<Record<FailureCode, string>> = {
  // Another channel may take this currency, amount or kind of payment.
  not_supported:
    'amount_too_large amount_too_small capability_not_active invalid_card_type invalid_charge_amount ' +
    'invalid_charge_amount_no_decimal_compatible payment_intent_incompatible_payment_method ' +
    'payment_method_currency_mismatch payment_method_unactivated payment_method_unsupported_type ' +
    'sepa_unsupported_account country_unsupported',
  credentials_refused:
    'account_invalid api_key_expired livemode_mismatch platform_account_required platform_api_key_expired ' +
    'secret_key_required testmode_charges_only tls_version_unsupported',
};

/** Codes that are no decline and have no meaning of their own here, by the reason. */
const ignoredCodes: Readonly<Record<string, string>> = {
  'the request is wrong, or the object is in another state: `invalid_operation`, or `refund_refused` for a refund':
    'balance_insufficient balance_invalid_parameter charge_already_captured charge_already_refunded charge_disputed ' +
    'charge_invalid_parameter charge_not_refundable email_invalid ' +
    'intent_invalid_state invalid_characters invalid_source_usage missing parameter_invalid_empty ' +
    'parameter_invalid_integer parameter_invalid_string_blank parameter_invalid_string_empty parameter_missing ' +
    'parameter_unknown parameters_exclusive payment_intent_invalid_parameter payment_intent_unexpected_state ' +
    'payment_method_billing_details_address_missing payment_method_configuration_failures ' +
    'payment_method_invalid_parameter payment_method_invalid_parameter_testmode payment_method_unexpected_state ' +
    'postal_code_invalid country_code_invalid state_unsupported refund_disputed_payment resource_already_exists ' +
    'resource_missing return_intent_already_processed status_transition_invalid token_already_used ' +
    'token_card_network_invalid token_in_use url_invalid shipping_address_invalid siret_invalid ' +
    'bank_account_exists cardholder_phone_number_required clearing_code_unsupported customer_max_payment_methods ' +
    'intent_verification_method_missing invalid_mandate_reference_prefix_format setup_intent_invalid_parameter ' +
    'setup_intent_mobile_wallet_unsupported setup_intent_unexpected_state',
  'decided by the status 409 or 429, whatever the code':
    'idempotency_key_in_use lock_timeout rate_limit payment_intent_rate_limit_exceeded',
  'answers to captures, which Florin does not send':
    'capture_charge_authorization_expired capture_unauthorized_payment charge_expired_for_capture',
  'steps of the payer in the page of Stripe or of its script':
    'acss_debit_session_incomplete customer_session_expired payment_method_bank_account_already_verified ' +
    'payment_method_microdeposit_verification_amounts_invalid ' +
    'payment_method_microdeposit_verification_amounts_mismatch ' +
    'payment_method_microdeposit_verification_descriptor_code_mismatch',
  'parts of Stripe that Florin does not use':
    'account_country_invalid_address account_error_country_change_requires_additional_steps ' +
    'account_information_mismatch account_token_required_for_v2_account alipay_upgrade_required ' +
    'anomalous_money_movement_request application_fees_not_allowed bitcoin_upgrade_required coupon_expired ' +
    'customer_max_subscriptions customer_tax_location_invalid dispute_evidence_page_limit_exceeded ' +
    'failed_tax_calculation financial_account_balance_does_not_support_currency ' +
    'financial_account_capability_not_enabled financial_account_capability_restricted ' +
    'financial_connections_account_inactive financial_connections_account_pending_account_numbers ' +
    'financial_connections_account_unavailable_account_numbers financial_connections_consent_locale_invalid ' +
    'financial_connections_consent_locale_unsupported financial_connections_no_successful_transaction_refresh ' +
    'forwarding_api_inactive forwarding_api_invalid_parameter forwarding_api_retryable_upstream_error ' +
    'forwarding_api_upstream_connection_error forwarding_api_upstream_connection_timeout ' +
    'forwarding_api_upstream_error instant_payouts_config_disabled instant_payouts_currency_disabled ' +
    'instant_payouts_limit_exceeded instant_payouts_unsupported invalid_canceled_subscription_fields ' +
    'invalid_tax_location invoice_no_customer_line_items invoice_no_payment_method_types ' +
    'invoice_no_subscription_line_items invoice_not_editable invoice_on_behalf_of_not_editable ' +
    'invoice_payment_intent_requires_action invoice_upcoming_none not_allowed_on_standard_account out_of_inventory ' +
    'ownership_declaration_not_allowed payment_evaluation_on_api_version_not_supported ' +
    'payout_reconciliation_not_ready payouts_limit_exceeded payouts_not_allowed product_inactive ' +
    'progressive_onboarding_limit_exceeded service_period_coupon_with_metered_tiered_item_unsupported ' +
    'shipping_calculation_failed sku_inactive smart_disputes_not_available storer_capability_missing ' +
    'storer_capability_not_active stripe_tax_inactive subscription_update_trial_after_billing_cycle_anchor ' +
    'tax_id_invalid tax_id_prohibited taxes_calculation_failed terminal_location_country_unsupported ' +
    'terminal_reader_busy terminal_reader_hardware_fault terminal_reader_invalid_location_for_activation ' +
    'terminal_reader_invalid_location_for_payment terminal_reader_offline terminal_reader_timeout ' +
    'transfer_source_balance_parameters_mismatch transfers_not_allowed',
};

const failureCodes = byWord(declineCodes);
const refusals = byWord(refusalCodes);
const ignored = byWord(ignoredCodes);

/** The code of our catalogue for a decline; undefined if Stripe's code is none of a decline. */
export function failureCodeOf(word: string | null | undefined): FailureCode | undefined {
  // Some of them also come as `last_payment_error` of an intent.
  return (failureCodes.get(word ?? '') ?? refusals.get(word ?? '')) as FailureCode | undefined;
}

/** The code of our catalogue for a refusal of our request; undefined if the request was simply wrong. */
export function refusalCodeOf(word: string | null | undefined): FailureCode | undefined {
  return refusals.get(word ?? '') as FailureCode | undefined;
}

/** What becomes of a code of Stripe; undefined if it is in no table. */
export function meaningOfCode(word: string): string | undefined {
  const why = ignored.get(word);
  return failureCodeOf(word) ?? (why && `ignored because ${why}`);
}

function byWord(table: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(table).flatMap(([code, words]) => words.split(' ').map((word) => [word, code])));
}
