import type { MailPlaceholder, MailTextKind } from '../../../identity/tenants/mail-texts.ts';

/** What the placeholders of a mail stand for, formatted for the reader. `link` is an address; without one it is empty. */
export type MailFacts = Partial<Record<MailPlaceholder, string>>;

/** A mail as its subject and its body, with placeholders. */
export interface Template {
  subject: string;
  body: string;
}

/** The mails in one language: a file each. */
export interface Templates extends Record<MailTextKind, Template> {
  /** What leads to the invoice's page, in a mail whose text does not name the address: `{link}`. */
  toInvoice: string;
}
