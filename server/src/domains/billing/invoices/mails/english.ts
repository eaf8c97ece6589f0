import type { Templates } from './templates.ts';

/** Mails to customers in English. */
export const english: Templates = {
  receipt: ({ customer, seller, number, amount, paidOn }) => ({
    subject: `Receipt for invoice ${number} of ${seller}`,
    paragraphs: [
      `Hello ${customer},`,
      `we received your payment of ${amount} for invoice ${number} on ${paidOn}. The invoice is paid in full.`,
      `Thank you\n${seller}`,
    ],
  }),
  paymentFailed: ({ customer, seller, number, amount, nextAttempt }) => ({
    subject: `Payment of invoice ${number} of ${seller} failed`,
    paragraphs: [
      `Hello ${customer},`,
      `a payment of your invoice ${number} failed. ${amount} is still to be paid.`,
      nextAttempt === null
        ? 'The payment is not tried again by itself. Please contact us to pay the invoice.'
        : `The payment is tried again on ${nextAttempt}. Please make sure that your means of payment is valid until then.`,
      seller,
    ],
  }),
};
