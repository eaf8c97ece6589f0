import type { MailLanguage } from '../../identity/tenants/sellers.ts';
import type { MailTexts } from '../sellers/mail-texts.ts';

interface InvoiceKey {
  tenantId: number;
  invoiceId: number;
}

/** What a mail says of its invoice. */
export interface MailedInvoice {
  /** INV-000001. */
  number: string;
  /** It waits to be paid: neither paid nor closed. */
  is_open: boolean;
  currency: string;
  total: number;
  amount_paid: number;
  paid_at: string | null;
  due_date: string | null;
  /** It was not paid when it was due. */
  is_overdue: boolean;
  seller: string;
  customer: string;
  email: string | null;
  customer_mails: boolean;
  mail_language: MailLanguage;
  /** The tenant's own texts. */
  mail_texts: MailTexts | null;
}

export type FindMailedInvoice = (invoice: InvoiceKey) => Promise<MailedInvoice | undefined>;

/** Reads what mails say when they are sent. An extension point: the module `invoices` registers itself. */
export class MailedInvoices {
  #find: FindMailedInvoice = async () => undefined;

  register(find: FindMailedInvoice): void {
    this.#find = find;
  }

  find(invoice: InvoiceKey): Promise<MailedInvoice | undefined> {
    return this.#find(invoice);
  }
}

/** Returns the URL of an invoice's page; null: it has none. */
export type FindInvoiceLink = (invoice: InvoiceKey) => Promise<string | null>;

/** URLs of invoice pages, for mails. An extension point: the module that serves the pages registers itself. */
export class InvoiceLinks {
  #find: FindInvoiceLink = async () => null;

  register(find: FindInvoiceLink): void {
    this.#find = find;
  }

  find(invoice: InvoiceKey): Promise<string | null> {
    return this.#find(invoice);
  }
}
