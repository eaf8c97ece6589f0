import type { InvoiceKey } from '../lock.ts';

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
