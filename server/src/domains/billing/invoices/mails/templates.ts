/** What the templates are filled with, formatted for the reader. */
export interface MailFacts {
  customer: string;
  seller: string;
  /** The invoice's number. */
  number: string;
  /** The amount paid, or still to pay. */
  amount: string;
  /** When it was paid. */
  paidOn: string;
  /** When the payment is tried again; null: it is not. */
  nextAttempt: string | null;
}

/** A mail as its subject and paragraphs. */
export interface Template {
  subject: string;
  paragraphs: string[];
}

/** The mails in one language: a file each. */
export interface Templates {
  receipt: (facts: MailFacts) => Template;
  paymentFailed: (facts: MailFacts) => Template;
}
