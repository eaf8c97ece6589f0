import type { Templates } from './templates.ts';

/** Mails to customers in German. */
export const german: Templates = {
  receipt: ({ customer, seller, number, amount, paidOn }) => ({
    subject: `Zahlungsbeleg zur Rechnung ${number} von ${seller}`,
    paragraphs: [
      `Guten Tag ${customer},`,
      `wir haben Ihre Zahlung über ${amount} zur Rechnung ${number} am ${paidOn} erhalten. Die Rechnung ist vollständig bezahlt.`,
      `Vielen Dank\n${seller}`,
    ],
  }),
  paymentFailed: ({ customer, seller, number, amount, nextAttempt }) => ({
    subject: `Zahlung der Rechnung ${number} von ${seller} fehlgeschlagen`,
    paragraphs: [
      `Guten Tag ${customer},`,
      `eine Zahlung Ihrer Rechnung ${number} ist fehlgeschlagen. Offen sind noch ${amount}.`,
      nextAttempt === null
        ? 'Die Zahlung wird nicht automatisch wiederholt. Bitte wenden Sie sich an uns, um die Rechnung zu bezahlen.'
        : `Der nächste Zahlungsversuch erfolgt am ${nextAttempt}. Bitte sorgen Sie dafür, dass Ihr Zahlungsmittel bis dahin gültig ist.`,
      seller,
    ],
  }),
};
