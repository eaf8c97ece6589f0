import type { MailPlaceholder, MailTextKind } from '../sellers/mail-texts.ts';

/** The values of a mail's placeholders, formatted for the reader. `link` is a URL, or empty without one. */
export type MailFacts = Partial<Record<MailPlaceholder, string>>;

/** A mail with placeholders. */
export interface Template {
  subject: string;
  body: string;
}

/** All mails in one language. */
export interface Templates extends Record<MailTextKind, Template> {
  /** Added to a mail whose text does not include `{link}`. */
  toInvoice: string;
}
