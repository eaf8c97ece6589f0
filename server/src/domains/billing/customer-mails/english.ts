import type { Templates } from './templates.ts';

/** Mails to customers in English. */
export const english: Templates = {
  invoice: {
    subject: 'Invoice {number} from {seller}',
    body: `Hello {customer},

here is your invoice {number} for {amount}, due on {dueDate}. You can view and pay it here:
{link}

Thank you
{seller}`,
  },
  debitAnnounced: {
    subject: 'Invoice {number} from {seller}: {amount} will be debited on {debitDate}',
    body: `Hello {customer},

here is your invoice {number} for {amount}. We will collect it by direct debit on {debitDate}, \
with the mandate reference {mandate}. Please make sure that your account has enough funds by then.

You can view the invoice here:
{link}

Thank you
{seller}`,
  },
  receipt: {
    subject: 'Receipt for invoice {number} from {seller}',
    body: `Hello {customer},

we received your payment of {amount} for invoice {number} on {paidOn}. The invoice is paid in full.

Thank you
{seller}`,
  },
  paymentFailed: {
    subject: 'Payment of invoice {number} from {seller} failed',
    body: `Hello {customer},

a payment of your invoice {number} failed. {amount} is still due.

The payment will be retried on {nextAttempt}. Please make sure that your payment method is valid by then.

{seller}`,
  },
  lastPaymentFailed: {
    subject: 'Payment of invoice {number} from {seller} failed',
    body: `Hello {customer},

a payment of your invoice {number} failed. {amount} is still due.

The payment will not be retried automatically. Please contact us to pay the invoice.

{seller}`,
  },
  confirmationNeeded: {
    subject: 'Please confirm the payment of invoice {number} from {seller}',
    body: `Hello {customer},

your bank wants you to confirm the payment of your invoice {number} yourself. {amount} is still due.

Please pay it here:
{link}

{seller}`,
  },
  otherMethodNeeded: {
    subject: 'Payment of invoice {number} from {seller} failed',
    body: `Hello {customer},

your invoice {number} could not be charged, because there is no payment method that works. {amount} is still due.

Please choose another way to pay here:
{link}

{seller}`,
  },
  reminder: {
    subject: 'Reminder: invoice {number} from {seller}',
    body: `Hello {customer},

your invoice {number} was due on {dueDate}, and {amount} is still open. Perhaps it has slipped your mind. \
You can view and pay it here:
{link}

If you have paid it in the meantime, please ignore this mail.

Thank you
{seller}`,
  },
  toInvoice: 'Your invoice: {link}',
};
