// Generated from the OpenAPI document by `npm run docs`. Do not edit.

export const auditListAction = [
  'tenant.create',
  'tenant.update',
  'user.create',
  'user.update',
  'user.request_password_reset',
  'user.reset_password',
  'user.change_password',
  'user.add_second_factor',
  'user.remove_second_factor',
  'user.add_passkey',
  'user.update_passkey',
  'user.remove_passkey',
  'user.regenerate_recovery_codes',
  'session.step_up',
  'session.login',
  'session.login_refused',
  'session.logout',
  'session.revoke',
  'key.create',
  'key.rotate',
  'key.revoke',
  'device.approve',
  'device.deny',
  'access.refuse',
  'webhook.create',
  'webhook.update',
  'webhook.remove',
  'webhook.rotate_secret',
  'webhook.ping',
  'webhook.replay',
  'delivery.replay',
  'inbox.create',
  'channel.create',
  'channel.update',
  'transaction.update',
  'refund.create',
  'discrepancy.close',
  'clock.create',
  'clock.advance',
  'customer.create',
  'customer.update',
  'invoice.create',
  'invoice.update',
  'invoice.finalize',
  'invoice.pay',
  'invoice.void',
  'plan.create',
  'plan.update',
  'subscription.create',
  'subscription.update',
  'subscription.pause',
  'subscription.resume',
  'subscription.cancel',
  'checkout.create',
  'checkout.expire',
  'checkout.pay',
  'portal.create',
  'transaction.export',
  'refund.export',
  'customer.export',
  'invoice.export',
  'subscription.export',
  'event.export',
  'delivery.export',
  'audit.export',
  'audit.expire',
  'session.end_after_reuse',
  'audit.begin',
  'dispute.close',
  'backup.create',
  'payment_method.setup',
  'payment_method.default',
  'payment_method.detach',
  'invoice.send',
  'transaction.capture',
  'transaction.release',
  'dispute.evidence',
  'dispute.file',
  'dispute.submit',
  'dispute.accept',
  'finance.export',
] as const;

export const auditExportFormat = [
  'ndjson',
  'csv',
] as const;

export const auditExportAction = [
  'tenant.create',
  'tenant.update',
  'user.create',
  'user.update',
  'user.request_password_reset',
  'user.reset_password',
  'user.change_password',
  'user.add_second_factor',
  'user.remove_second_factor',
  'user.add_passkey',
  'user.update_passkey',
  'user.remove_passkey',
  'user.regenerate_recovery_codes',
  'session.step_up',
  'session.login',
  'session.login_refused',
  'session.logout',
  'session.revoke',
  'key.create',
  'key.rotate',
  'key.revoke',
  'device.approve',
  'device.deny',
  'access.refuse',
  'webhook.create',
  'webhook.update',
  'webhook.remove',
  'webhook.rotate_secret',
  'webhook.ping',
  'webhook.replay',
  'delivery.replay',
  'inbox.create',
  'channel.create',
  'channel.update',
  'transaction.update',
  'refund.create',
  'discrepancy.close',
  'clock.create',
  'clock.advance',
  'customer.create',
  'customer.update',
  'invoice.create',
  'invoice.update',
  'invoice.finalize',
  'invoice.pay',
  'invoice.void',
  'plan.create',
  'plan.update',
  'subscription.create',
  'subscription.update',
  'subscription.pause',
  'subscription.resume',
  'subscription.cancel',
  'checkout.create',
  'checkout.expire',
  'checkout.pay',
  'portal.create',
  'transaction.export',
  'refund.export',
  'customer.export',
  'invoice.export',
  'subscription.export',
  'event.export',
  'delivery.export',
  'audit.export',
  'audit.expire',
  'session.end_after_reuse',
  'audit.begin',
  'dispute.close',
  'backup.create',
  'payment_method.setup',
  'payment_method.default',
  'payment_method.detach',
  'invoice.send',
  'transaction.capture',
  'transaction.release',
  'dispute.evidence',
  'dispute.file',
  'dispute.submit',
  'dispute.accept',
  'finance.export',
] as const;

export const tenantsModifyMailLanguage = [
  'en',
  'de',
] as const;

export const tenantsModifyReopenInvoices = [
  'NEVER',
  'RETURNED',
  'ALWAYS',
] as const;

export const usersModifyUserType = [
  'PLATFORM_ADMIN',
  'MERCHANT_ADMIN',
  'MERCHANT_USER',
] as const;

export const requestsListMethod = [
  'GET',
  'HEAD',
  'POST',
] as const;

export const requestsListBy = [
  'session',
  'key',
] as const;

export const eventsListType = [
  'transaction.created',
  'transaction.processing',
  'transaction.succeeded',
  'transaction.failed',
  'transaction.refunded',
  'transaction.cancelled',
  'transaction.action_required',
  'refund.created',
  'refund.succeeded',
  'refund.failed',
  'subscription.created',
  'subscription.updated',
  'subscription.cancelled',
  'subscription.expired',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.overdue',
  'invoice.voided',
  'invoice.uncollectible',
  'customer.created',
  'customer.updated',
  'channel.disabled',
  'webhook.disabled',
  'payment_method.action_required',
  'payment_method.attached',
  'payment_method.failed',
  'payment_method.expiring',
  'payment_method.expired',
  'payment_method.updated',
  'payment_method.revoked',
  'payment_method.detached',
  'transaction.authorized',
  'transaction.captured',
  'transaction.capture_failed',
  'transaction.authorization_expiring',
  'discrepancy.opened',
  'discrepancy.closed',
  'dispute.created',
  'dispute.updated',
  'dispute.due_soon',
  'dispute.won',
  'dispute.lost',
  'dispute.closed',
  'dispute.funds_withdrawn',
  'dispute.funds_reinstated',
  'transaction.fraud_warning',
  'invoice.reopened',
] as const;

export const webhooksDeliveriesListState = [
  'OPEN',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
] as const;

export const webhooksDeliveriesListEventType = [
  'transaction.created',
  'transaction.processing',
  'transaction.succeeded',
  'transaction.failed',
  'transaction.refunded',
  'transaction.cancelled',
  'transaction.action_required',
  'refund.created',
  'refund.succeeded',
  'refund.failed',
  'subscription.created',
  'subscription.updated',
  'subscription.cancelled',
  'subscription.expired',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.overdue',
  'invoice.voided',
  'invoice.uncollectible',
  'customer.created',
  'customer.updated',
  'channel.disabled',
  'webhook.disabled',
  'payment_method.action_required',
  'payment_method.attached',
  'payment_method.failed',
  'payment_method.expiring',
  'payment_method.expired',
  'payment_method.updated',
  'payment_method.revoked',
  'payment_method.detached',
  'transaction.authorized',
  'transaction.captured',
  'transaction.capture_failed',
  'transaction.authorization_expiring',
  'discrepancy.opened',
  'discrepancy.closed',
  'dispute.created',
  'dispute.updated',
  'dispute.due_soon',
  'dispute.won',
  'dispute.lost',
  'dispute.closed',
  'dispute.funds_withdrawn',
  'dispute.funds_reinstated',
  'transaction.fraud_warning',
  'invoice.reopened',
  'webhook.ping',
] as const;

export const channelsModifyType = [
  'ONLINE',
  'OFFLINE',
] as const;

export const channelsModifyProvider = [
  'sandbox',
  'stripe',
  'mollie',
] as const;

export const channelsModifyCapture = [
  'NONE',
  'SINGLE',
  'MULTIPLE',
] as const;

export const paymentMethodsSetupType = [
  'card',
  'sepa_debit',
  'bacs_debit',
  'ach_debit',
  'becs_debit',
  'pad_debit',
  'paypal',
  'other',
] as const;

export const paymentMethodsSetupAgreement = [
  'SUBSCRIPTION',
  'UNSCHEDULED',
] as const;

export const paymentMethodsListStatus = [
  'PENDING',
  'ACTIVE',
  'FAILED',
  'EXPIRED',
  'REVOKED',
  'DETACHED',
] as const;

export const ledgerEntriesAccount = [
  'PROVIDER_RECEIVABLE',
  'MERCHANT_PAYABLE',
  'REFUNDS',
  'PROVIDER_FEES',
  'DISPUTED',
  'UNAPPLIED',
] as const;

export const transactionsCreateInitiator = [
  'PAYER',
  'MERCHANT',
] as const;

export const transactionsCreateCaptureMethod = [
  'AUTOMATIC',
  'MANUAL',
] as const;

export const transactionsCreateAgreement = [
  'SUBSCRIPTION',
  'UNSCHEDULED',
] as const;

export const transactionsCreatePayerFlow = [
  'REDIRECT',
  'EMBEDDED',
] as const;

export const transactionsUpdateStatus = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REFUNDED',
  'CANCELLED',
] as const;

export const transactionsListStatus = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REFUNDED',
  'CANCELLED',
] as const;

export const refundsListStatus = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
] as const;

export const discrepanciesListState = [
  'OPEN',
  'DISAGREES',
  'AGREES',
  'CLOSED',
] as const;

export const discrepanciesListKind = [
  'OPERATION',
  'OVERDRAWN',
] as const;

export const discrepanciesCloseOutcome = [
  'SUCCEEDED',
  'FAILED',
] as const;

export const disputesListStatus = [
  'OPEN',
  'SUBMITTED',
  'ACCEPTED',
  'EXPIRED',
  'WON',
  'LOST',
  'CLOSED',
] as const;

export const disputesListStage = [
  'INQUIRY',
  'CHARGEBACK',
  'PRE_ARBITRATION',
  'ARBITRATION',
] as const;

export const disputesListReason = [
  'fraudulent',
  'not_received',
  'not_as_described',
  'duplicate',
  'credit_not_processed',
  'subscription_cancelled',
  'unrecognized',
  'not_authorized',
  'returned',
  'other',
] as const;

export const statisticsSummaryStatus = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REFUNDED',
  'CANCELLED',
] as const;

export const statisticsSeriesStatus = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REFUNDED',
  'CANCELLED',
] as const;

export const statisticsSeriesGroupBy = [
  'channel',
  'status',
  'currency',
] as const;

export const sellersModifyMailLanguage = [
  'en',
  'de',
] as const;

export const sellersModifyReopenInvoices = [
  'NEVER',
  'RETURNED',
  'ALWAYS',
] as const;

export const invoicesListStatus = [
  'DRAFT',
  'OPEN',
  'PAID',
  'VOID',
  'UNCOLLECTIBLE',
] as const;

export const invoicesPayCaptureMethod = [
  'AUTOMATIC',
  'MANUAL',
] as const;

export const invoicesPrintFormat = [
  'html',
  'pdf',
] as const;

export const plansModifyInterval = [
  'day',
  'week',
  'month',
  'year',
] as const;

export const subscriptionsListState = [
  'TRIALING',
  'ACTIVE',
  'PAST_DUE',
  'PAUSED',
  'CANCELLED',
  'EXPIRED',
] as const;

export const checkoutsCreateCaptureMethod = [
  'AUTOMATIC',
  'MANUAL',
] as const;

export const checkoutsListStatus = [
  'OPEN',
  'PROCESSING',
  'PAID',
  'EXPIRED',
] as const;

export const financesPaymentsStatus = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REFUNDED',
  'CANCELLED',
] as const;

export const financesPaymentsFormat = [
  'xlsx',
  'csv',
] as const;

export const financesPaymentsLanguage = [
  'en',
  'de',
] as const;

export const financesRefundsStatus = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
] as const;

export const financesRefundsFormat = [
  'xlsx',
  'csv',
] as const;

export const financesRefundsLanguage = [
  'en',
  'de',
] as const;

export const financesInvoicesStatus = [
  'DRAFT',
  'OPEN',
  'PAID',
  'VOID',
  'UNCOLLECTIBLE',
] as const;

export const financesInvoicesFormat = [
  'xlsx',
  'csv',
] as const;

export const financesInvoicesLanguage = [
  'en',
  'de',
] as const;

export const financesLedgerAccount = [
  'PROVIDER_RECEIVABLE',
  'MERCHANT_PAYABLE',
  'REFUNDS',
  'PROVIDER_FEES',
  'DISPUTED',
  'UNAPPLIED',
] as const;

export const financesLedgerFormat = [
  'xlsx',
  'csv',
] as const;

export const financesLedgerLanguage = [
  'en',
  'de',
] as const;

export const financesTaxesFormat = [
  'xlsx',
  'csv',
] as const;

export const financesTaxesLanguage = [
  'en',
  'de',
] as const;

export const failureSentences: Readonly<Record<string, string>> = {
  card_declined: "The card was declined without a further reason.",
  declined_for_good: "The issuer or the payer refuses this payment, wherever it is tried.",
  insufficient_funds: "There is not enough money behind this means of payment.",
  limit_exceeded: "The amount or the number of payments is over a limit of the payer.",
  expired_card: "The card has expired.",
  invalid_card: "The number, the date or the security code of the card is wrong.",
  lost_or_stolen: "The card was reported lost or stolen.",
  suspected_fraud: "The provider takes the payment for fraud.",
  authentication_failed: "The payer could not be authenticated.",
  authentication_required: "The issuer wants the payer to authenticate, and nobody was there.",
  mandate_revoked: "The payer or the bank has ended the mandate or the agreement.",
  account_closed: "The payer's bank account is closed or does not exist.",
  payment_method_missing: "There is no payment method to charge.",
  not_supported: "The provider does not take this kind of payment, currency or amount.",
  payment_expired: "The payer did not finish in time.",
  processing_error: "The provider could not process the payment.",
  provider_unavailable: "The provider refused to serve us; nothing was charged.",
  credentials_refused: "The provider does not accept the channel's credentials.",
  invalid_operation: "The provider does not accept this operation.",
  authorization_expired: "The authorization ended before the money was captured.",
  capture_failed: "The authorized money could not be captured.",
  refund_refused: "The provider does not give this money back.",
  payment_disputed: "The payer has disputed the payment, and the money is withheld.",
  refund_exceeds_payment: "More than is left of the payment would be given back.",
  setup_needs_payment: "Only a real payment can keep a payment method of this type.",
};
