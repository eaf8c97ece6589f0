import type { MethodStatus } from '../../../payments/methods/states.ts';
import type { MethodType } from '../../../payments/providers/kept-method.ts';
import type { InvoiceStatus } from '../../invoices/states.ts';
import type { Language } from '../../sellers/formats.ts';
import type { SubscriptionState } from '../../subscriptions/states.ts';

/** All texts of the payers' pages in one language. */
export interface Texts {
  testMode: string;
  missingTitle: string;
  missing: string;
  busyTitle: string;
  busy: string;
  payTitle: string;
  invoice: (number: string) => string;
  due: (day: string) => string;
  columns: readonly [description: string, quantity: string, amount: string];
  subtotal: string;
  tax: string;
  taxAt: (rate: string) => string;
  total: string;
  alreadyPaid: string;
  toPay: string;
  pdf: string;
  choose: string;
  payWith: (channel: string) => string;
  pay: (price: string) => string;
  noChannel: string;
  failed: string;
  tryAgain: string;
  tryAnother: string;
  /** Why a payment failed, by its failure code. The issuer's suspicions are not told. */
  failureReasons: Readonly<Record<string, string>>;
  rememberForSubscription: (seller: string) => string;
  rememberForOrders: (seller: string) => string;
  makeDefault: string;
  methodTypes: Readonly<Record<MethodType, string>>;
  endingIn: (name: string, last4: string) => string;
  channelRefused: string;
  chooseOne: string;
  tooMany: string;
  processingTitle: string;
  authorizedTitle: string;
  authorized: (seller: string) => string;
  waitingTitle: string;
  redirecting: string;
  continueToPay: string;
  waiting: string;
  offline: (channel: string) => string;
  checkAgain: string;
  chooseAnother: string;
  paidTitle: string;
  paid: (price: string) => string;
  paidOn: string;
  reference: string;
  backTo: (seller: string) => string;
  portalTitle: string;
  forCustomer: (customer: string) => string;
  invoices: string;
  noInvoices: string;
  invoiceColumns: readonly [invoice: string, date: string, amount: string, status: string, actions: string];
  invoiceStates: Record<InvoiceStatus, string>;
  inProgress: string;
  payNow: string;
  subscriptions: string;
  noSubscriptions: string;
  states: Record<SubscriptionState, string>;
  perPeriod: (price: string) => string;
  renews: (day: string) => string;
  endsOn: (day: string) => string;
  cancel: string;
  cancelTitle: (plan: string) => string;
  cancelAsk: (day: string) => string;
  cancelYes: string;
  cancelNo: string;
  cancelled: string;
  paymentMethod: string;
  noPaymentMethod: string;
  defaultMethod: string;
  useAsDefault: string;
  removeMethod: string;
  addMethod: string;
  addMethodWith: (channel: string) => string;
  addMethodConsent: (seller: string) => string;
  methodInUse: string;
  methodFailed: string;
  methodStates: Readonly<Partial<Record<MethodStatus, string>>>;
  validUntil: (month: string) => string;
  setUpTitle: string;
  setUpWaiting: string;
}

const english: Texts = {
  testMode: 'Test mode: no money moves.',
  missingTitle: 'This page does not exist',
  missing: 'The link may have expired or be incomplete. Ask the sender for a new one.',
  busyTitle: 'One moment, please',
  busy: 'The service is busy. Nothing was charged by this request. Try again in a moment.',
  payTitle: 'Payment',
  invoice: (number) => `Invoice ${number}`,
  due: (day) => `Due on ${day}`,
  columns: ['Description', 'Quantity', 'Amount'],
  subtotal: 'Subtotal',
  tax: 'Tax',
  taxAt: (rate) => `Tax ${rate}`,
  total: 'Total',
  alreadyPaid: 'Already paid',
  toPay: 'To pay',
  pdf: 'Invoice as PDF',
  choose: 'How do you want to pay?',
  payWith: (channel) => `Payment method: ${channel}`,
  pay: (price) => `Pay ${price}`,
  noChannel: 'This cannot be paid online at the moment. Please contact the seller.',
  failed: 'The last payment did not succeed.',
  tryAgain: 'You can try again.',
  tryAnother: 'Please choose another way to pay.',
  failureReasons: {
    card_declined: 'Your bank declined it.',
    declined_for_good: 'Your bank declined it.',
    lost_or_stolen: 'Your bank declined it.',
    suspected_fraud: 'Your bank declined it.',
    insufficient_funds: 'There is not enough money on the account or card.',
    limit_exceeded: 'It is above a limit of the account or card.',
    expired_card: 'The card has expired.',
    invalid_card: 'The details of the card are not right.',
    authentication_failed: 'It was not confirmed with your bank.',
    authentication_required: 'Your bank wants you to confirm it yourself.',
    payment_expired: 'It was not finished in time.',
    mandate_revoked: 'The agreement for this payment method has ended.',
    account_closed: 'The account is closed or does not exist.',
    payment_method_missing: 'There is no payment method that could be charged.',
    not_supported: 'This payment method cannot be used for it.',
    processing_error: 'There was a technical problem.',
    provider_unavailable: 'There was a technical problem.',
    credentials_refused: 'There was a technical problem.',
    invalid_operation: 'There was a technical problem.',
  },
  rememberForSubscription: (seller) =>
    `Remember this payment method. ${seller} may charge it for the further payments of my subscription.`,
  rememberForOrders: (seller) =>
    `Remember this payment method. ${seller} may charge it for further payments that I have agreed to.`,
  makeDefault: 'Use the remembered payment method for automatic payments',
  methodTypes: {
    card: 'Card',
    sepa_debit: 'SEPA direct debit',
    bacs_debit: 'Bacs direct debit',
    ach_debit: 'ACH direct debit',
    becs_debit: 'BECS direct debit',
    pad_debit: 'Pre-authorized debit',
    paypal: 'PayPal',
    other: 'Payment method',
  },
  endingIn: (name, last4) => `${name}, ending in ${last4}`,
  channelRefused: 'This payment method is not available at the moment. Choose another one or try again later.',
  chooseOne: 'Choose how you want to pay.',
  tooMany: 'Too many payments failed here. Please contact the seller.',
  processingTitle: 'Your payment is being processed',
  authorizedTitle: 'Your payment is authorised',
  authorized: (seller) => `You have nothing more to do. ${seller} takes the money later.`,
  waitingTitle: 'Waiting for your payment',
  redirecting: 'You are being taken to the payment provider.',
  continueToPay: 'Continue to the payment provider',
  waiting: 'This page updates automatically. You can leave it: the payment continues.',
  offline: (channel) =>
    `Your choice “${channel}” is recorded. The seller will confirm the payment when the money has arrived.`,
  checkAgain: 'Check again',
  chooseAnother: 'Choose another payment method',
  paidTitle: 'Thank you for your payment',
  paid: (price) => `${price} paid.`,
  paidOn: 'Paid on',
  reference: 'Reference',
  backTo: (seller) => `Back to ${seller}`,
  portalTitle: 'Your account',
  forCustomer: (customer) => `For ${customer}`,
  invoices: 'Invoices',
  noInvoices: 'There are no invoices.',
  invoiceColumns: ['Invoice', 'Date', 'Amount', 'Status', 'Actions'],
  invoiceStates: { DRAFT: 'Draft', OPEN: 'Open', PAID: 'Paid', VOID: 'Void', UNCOLLECTIBLE: 'Open' },
  inProgress: 'Payment in progress',
  payNow: 'Pay',
  subscriptions: 'Subscriptions',
  noSubscriptions: 'There are no active subscriptions.',
  states: {
    TRIALING: 'Trial',
    ACTIVE: 'Active',
    PAST_DUE: 'Payment outstanding',
    PAUSED: 'Paused',
    CANCELLED: 'Cancelled',
    EXPIRED: 'Ended',
  },
  perPeriod: (price) => `${price} per period`,
  renews: (day) => `Renews on ${day}`,
  endsOn: (day) => `Ends on ${day}`,
  cancel: 'Cancel subscription',
  cancelTitle: (plan) => `Cancel ${plan}?`,
  cancelAsk: (day) => `The subscription stays active until ${day} and then ends. Nothing is charged after that.`,
  cancelYes: 'Cancel at the end of the period',
  cancelNo: 'Keep the subscription',
  cancelled: 'The subscription ends at the end of its period.',
  paymentMethod: 'Payment methods',
  noPaymentMethod: 'No payment method is stored.',
  defaultMethod: 'Used for automatic payments',
  useAsDefault: 'Use for automatic payments',
  removeMethod: 'Remove',
  addMethod: 'Add a payment method',
  addMethodWith: (channel) => `Add with ${channel}`,
  addMethodConsent: (seller) => `With it, ${seller} may charge the payments of your subscriptions.`,
  methodInUse: 'A subscription is paid with this payment method. Please contact the seller to change that first.',
  methodFailed: 'The payment method could not be added. You can try again.',
  methodStates: { EXPIRED: 'Expired', REVOKED: 'No longer valid', FAILED: 'Not added', PENDING: 'Not confirmed yet' },
  validUntil: (month) => `valid until ${month}`,
  setUpTitle: 'Your payment method is being added',
  setUpWaiting: 'One moment, please. This page updates automatically.',
};

const german: Texts = {
  testMode: 'Testmodus: Es fließt kein Geld.',
  missingTitle: 'Diese Seite gibt es nicht',
  missing:
    'Der Link ist vielleicht abgelaufen oder unvollständig. Bitten Sie dort um einen neuen, wo Sie ihn erhalten haben.',
  busyTitle: 'Einen Moment, bitte',
  busy: 'Der Dienst ist ausgelastet. Durch diesen Aufruf wurde nichts belastet. Versuchen Sie es gleich noch einmal.',
  payTitle: 'Zahlung',
  invoice: (number) => `Rechnung ${number}`,
  due: (day) => `Fällig am ${day}`,
  columns: ['Beschreibung', 'Menge', 'Betrag'],
  subtotal: 'Zwischensumme',
  tax: 'Steuer',
  taxAt: (rate) => `Steuer ${rate}`,
  total: 'Gesamtbetrag',
  alreadyPaid: 'Bereits bezahlt',
  toPay: 'Zu zahlen',
  pdf: 'Rechnung als PDF',
  choose: 'Wie möchten Sie bezahlen?',
  payWith: (channel) => `Zahlungsart: ${channel}`,
  pay: (price) => `${price} bezahlen`,
  noChannel: 'Eine Online-Zahlung ist zurzeit nicht möglich. Bitte wenden Sie sich an den Verkäufer.',
  failed: 'Die letzte Zahlung ist nicht gelungen.',
  tryAgain: 'Sie können es erneut versuchen.',
  tryAnother: 'Bitte wählen Sie eine andere Zahlungsart.',
  failureReasons: {
    card_declined: 'Ihre Bank hat sie abgelehnt.',
    declined_for_good: 'Ihre Bank hat sie abgelehnt.',
    lost_or_stolen: 'Ihre Bank hat sie abgelehnt.',
    suspected_fraud: 'Ihre Bank hat sie abgelehnt.',
    insufficient_funds: 'Das Konto oder die Karte ist nicht ausreichend gedeckt.',
    limit_exceeded: 'Sie übersteigt ein Limit des Kontos oder der Karte.',
    expired_card: 'Die Karte ist abgelaufen.',
    invalid_card: 'Die Angaben zur Karte stimmen nicht.',
    authentication_failed: 'Sie wurde nicht bei Ihrer Bank bestätigt.',
    authentication_required: 'Ihre Bank möchte, dass Sie sie selbst bestätigen.',
    payment_expired: 'Sie wurde nicht rechtzeitig abgeschlossen.',
    mandate_revoked: 'Die Vereinbarung für dieses Zahlungsmittel ist beendet.',
    account_closed: 'Das Konto ist geschlossen oder existiert nicht.',
    payment_method_missing: 'Es gibt kein Zahlungsmittel, das belastet werden kann.',
    not_supported: 'Dieses Zahlungsmittel kann dafür nicht verwendet werden.',
    processing_error: 'Es gab ein technisches Problem.',
    provider_unavailable: 'Es gab ein technisches Problem.',
    credentials_refused: 'Es gab ein technisches Problem.',
    invalid_operation: 'Es gab ein technisches Problem.',
  },
  rememberForSubscription: (seller) =>
    `Dieses Zahlungsmittel merken. ${seller} darf damit die weiteren Zahlungen meines Abonnements abbuchen.`,
  rememberForOrders: (seller) =>
    `Dieses Zahlungsmittel merken. ${seller} darf damit weitere Zahlungen abbuchen, denen ich zugestimmt habe.`,
  makeDefault: 'Das gemerkte Zahlungsmittel für automatische Zahlungen verwenden',
  methodTypes: {
    card: 'Karte',
    sepa_debit: 'SEPA-Lastschrift',
    bacs_debit: 'Bacs-Lastschrift',
    ach_debit: 'ACH-Lastschrift',
    becs_debit: 'BECS-Lastschrift',
    pad_debit: 'Vorautorisierte Lastschrift',
    paypal: 'PayPal',
    other: 'Zahlungsmittel',
  },
  endingIn: (name, last4) => `${name}, endet auf ${last4}`,
  channelRefused:
    'Diese Zahlungsart ist zurzeit nicht verfügbar. Wählen Sie eine andere oder versuchen Sie es später noch einmal.',
  chooseOne: 'Wählen Sie aus, wie Sie bezahlen möchten.',
  tooMany: 'Hier sind zu viele Zahlungen fehlgeschlagen. Bitte wenden Sie sich an den Verkäufer.',
  processingTitle: 'Ihre Zahlung wird verarbeitet',
  authorizedTitle: 'Ihre Zahlung ist autorisiert',
  authorized: (seller) => `Sie müssen nichts mehr tun. ${seller} zieht das Geld später ein.`,
  waitingTitle: 'Wir warten auf Ihre Zahlung',
  redirecting: 'Sie werden zum Zahlungsanbieter weitergeleitet.',
  continueToPay: 'Weiter zum Zahlungsanbieter',
  waiting: 'Diese Seite aktualisiert sich selbst. Sie können sie verlassen: Die Zahlung läuft weiter.',
  offline: (channel) =>
    `Ihre Auswahl „${channel}“ ist vermerkt. Der Verkäufer bestätigt die Zahlung, sobald das Geld eingegangen ist.`,
  checkAgain: 'Erneut prüfen',
  chooseAnother: 'Andere Zahlungsart wählen',
  paidTitle: 'Vielen Dank für Ihre Zahlung',
  paid: (price) => `${price} bezahlt.`,
  paidOn: 'Bezahlt am',
  reference: 'Referenz',
  backTo: (seller) => `Zurück zu ${seller}`,
  portalTitle: 'Ihr Konto',
  forCustomer: (customer) => `Für ${customer}`,
  invoices: 'Rechnungen',
  noInvoices: 'Es gibt keine Rechnungen.',
  invoiceColumns: ['Rechnung', 'Datum', 'Betrag', 'Status', 'Aktionen'],
  invoiceStates: { DRAFT: 'Entwurf', OPEN: 'Offen', PAID: 'Bezahlt', VOID: 'Storniert', UNCOLLECTIBLE: 'Offen' },
  inProgress: 'Wird bezahlt',
  payNow: 'Bezahlen',
  subscriptions: 'Abonnements',
  noSubscriptions: 'Es gibt keine aktiven Abonnements.',
  states: {
    TRIALING: 'Probezeit',
    ACTIVE: 'Aktiv',
    PAST_DUE: 'Zahlung ausstehend',
    PAUSED: 'Pausiert',
    CANCELLED: 'Gekündigt',
    EXPIRED: 'Beendet',
  },
  perPeriod: (price) => `${price} pro Zeitraum`,
  renews: (day) => `Verlängert sich am ${day}`,
  endsOn: (day) => `Endet am ${day}`,
  cancel: 'Abonnement kündigen',
  cancelTitle: (plan) => `${plan} kündigen?`,
  cancelAsk: (day) => `Das Abonnement läuft bis zum ${day} und endet dann. Danach wird nichts mehr belastet.`,
  cancelYes: 'Zum Ende des Zeitraums kündigen',
  cancelNo: 'Abonnement behalten',
  cancelled: 'Das Abonnement endet mit seinem laufenden Zeitraum.',
  paymentMethod: 'Zahlungsmittel',
  noPaymentMethod: 'Es ist kein Zahlungsmittel hinterlegt.',
  defaultMethod: 'Für automatische Zahlungen verwendet',
  useAsDefault: 'Für automatische Zahlungen verwenden',
  removeMethod: 'Entfernen',
  addMethod: 'Zahlungsmittel hinzufügen',
  addMethodWith: (channel) => `Mit ${channel} hinzufügen`,
  addMethodConsent: (seller) => `${seller} darf damit die Zahlungen Ihrer Abonnements abbuchen.`,
  methodInUse: 'Ein Abonnement wird mit diesem Zahlungsmittel bezahlt. Bitte wenden Sie sich zuerst an den Verkäufer.',
  methodFailed: 'Das Zahlungsmittel konnte nicht hinzugefügt werden. Sie können es erneut versuchen.',
  methodStates: {
    EXPIRED: 'Abgelaufen',
    REVOKED: 'Nicht mehr gültig',
    FAILED: 'Nicht hinzugefügt',
    PENDING: 'Noch nicht bestätigt',
  },
  validUntil: (month) => `gültig bis ${month}`,
  setUpTitle: 'Ihr Zahlungsmittel wird hinzugefügt',
  setUpWaiting: 'Einen Moment bitte. Diese Seite aktualisiert sich selbst.',
};

export const texts: Record<Language, Texts> = { en: english, de: german };
