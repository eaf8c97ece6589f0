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
  channelRefused: string;
  chooseOne: string;
  tooMany: string;
  processingTitle: string;
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
  hasPaymentMethod: string;
  noPaymentMethod: string;
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
  failed: 'The last payment did not succeed. You can try again.',
  channelRefused: 'This payment method is not available at the moment. Choose another one or try again later.',
  chooseOne: 'Choose how you want to pay.',
  tooMany: 'Too many payments failed here. Please contact the seller.',
  processingTitle: 'Your payment is being processed',
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
  paymentMethod: 'Payment method',
  hasPaymentMethod: 'A payment method is stored for automatic payments. To change it, contact the seller.',
  noPaymentMethod: 'No payment method is stored.',
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
  failed: 'Die letzte Zahlung ist nicht gelungen. Sie können es erneut versuchen.',
  channelRefused:
    'Diese Zahlungsart ist zurzeit nicht verfügbar. Wählen Sie eine andere oder versuchen Sie es später noch einmal.',
  chooseOne: 'Wählen Sie aus, wie Sie bezahlen möchten.',
  tooMany: 'Hier sind zu viele Zahlungen fehlgeschlagen. Bitte wenden Sie sich an den Verkäufer.',
  processingTitle: 'Ihre Zahlung wird verarbeitet',
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
  hasPaymentMethod:
    'Für automatische Zahlungen ist ein Zahlungsmittel hinterlegt. Um es zu ändern, wenden Sie sich an den Verkäufer.',
  noPaymentMethod: 'Es ist kein Zahlungsmittel hinterlegt.',
};

export const texts: Record<Language, Texts> = { en: english, de: german };
