import type { Metadata } from '../../../../core/metadata.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { numberText } from '../../invoices/number.ts';
import { entryIdOf } from '../entry-id.ts';
import { amountWord, type SearchedText, type SearchKind, tokensOf, wordsOf } from '../words.ts';
import {
  type CustomerRow,
  type Entry,
  type InvoiceRow,
  type PaymentRow,
  readCustomers,
  readInvoices,
  readPayments,
  readSubscriptions,
  type SubscriptionRow,
} from './record-statements.ts';

/** The records whose entries are to be made: of payments their UUIDs, of others their numbers. */
export interface Records {
  payment: Set<string>;
  customer: Set<number>;
  invoice: Set<number>;
  subscription: Set<number>;
}

export const noRecords = (): Records => ({
  payment: new Set(),
  customer: new Set(),
  invoice: new Set(),
  subscription: new Set(),
});

/** Reads the records as they are now, and makes their entries. */
export async function entriesOf(database: Queryable, tenantId: number, records: Records): Promise<Entry[]> {
  const { payment, customer, invoice, subscription } = records;
  const read = async <Row>(ids: Set<number | string>, statement: Parameters<typeof database.run<Row>>[0]) =>
    ids.size === 0 ? [] : database.run<Row>(statement, [tenantId, [...ids]]);
  const entry = (kind: SearchKind, id: string, livemode: boolean, text: SearchedText): Entry => {
    const words = wordsOf(text);
    return { livemode, kind, id, words, tokens: tokensOf(words, { tenantId, livemode, kind }) };
  };
  return [
    ...(await read(payment, readPayments)).map((row) => entry('payment', row.id, row.livemode, textOfPayment(row))),
    ...(await read(customer, readCustomers)).map((row) =>
      entry('customer', entryIdOf(row.id), row.livemode, textOfCustomer(row)),
    ),
    ...(await read(invoice, readInvoices)).map((row) =>
      entry('invoice', entryIdOf(row.id), row.livemode, textOfInvoice(row)),
    ),
    ...(await read(subscription, readSubscriptions)).map((row) =>
      entry('subscription', entryIdOf(row.id), row.livemode, textOfSubscription(row)),
    ),
  ];
}

function textOfPayment(row: PaymentRow): SearchedText {
  return {
    texts: [row.description, row.customer_name, row.customer_email, ...valuesOf(row.metadata)],
    exact: [amountWord(row.amount, row.currency), row.currency, row.last4, row.provider_reference],
    id: row.id,
  };
}

function textOfCustomer(row: CustomerRow): SearchedText {
  return {
    texts: [row.name, row.email, row.phone, row.external_id, ...valuesOf(row.metadata)],
    exact: [row.id, ...row.last4s],
  };
}

function textOfInvoice(row: InvoiceRow): SearchedText {
  const number = row.number === null ? null : numberText(row.number, row.series);
  return {
    texts: [number, row.description, row.customer_name, row.customer_email, ...valuesOf(row.metadata)],
    exact: [row.id, amountWord(row.total, row.currency), row.currency],
  };
}

function textOfSubscription(row: SubscriptionRow): SearchedText {
  return {
    texts: [row.customer_name, row.customer_email, ...valuesOf(row.metadata)],
    exact: [row.id, amountWord(row.amount, row.currency), row.currency],
  };
}

/** The values of metadata, also of nested ones. */
function valuesOf(metadata: Metadata | null): string[] {
  return Object.values(metadata ?? {}).flatMap((value) =>
    typeof value === 'object' && value !== null ? valuesOf(value as Metadata) : [String(value ?? '')],
  );
}
