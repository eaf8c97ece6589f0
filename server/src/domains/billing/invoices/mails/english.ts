import type { Templates } from './templates.ts';

/** Mails to customers in English. */
export const english: Templates = {
  invoice: {
    subject: 'Invoice {number} of {seller}',
    body: `Hello {customer},

here is your invoice {number} over {amount}, due on {dueDate}. You can see it and pay it here:
{link}

Thank you
{seller}`,
  },
  receipt: {
    subject: 'Receipt for invoice {number} of {seller}',
    body: `Hello {customer},

we received your payment of {amount} for invoice {number} on {paidOn}. The invoice is paid in full.

Thank you
{seller}`,
  },
  paymentFailed: {
    subject: 'Payment of invoice {number} of {seller} failed',
    body: `Hello {customer},

a payment of your invoice {number} failed. {amount} is still to be paid.

The payment is tried again on {nextAttempt}. Please make sure that your means of payment is valid until then.

{seller}`,
  },
  lastPaymentFailed: {
    subject: 'Payment of invoice {number} of {seller} failed',
    body: `Hello {customer},

a payment of your invoice {number} failed. {amount} is still to be paid.

The payment is not tried again by itself. Please contact us to pay the invoice.

{seller}`,
  },
  toInvoice: 'Your invoice: {link}',
};
