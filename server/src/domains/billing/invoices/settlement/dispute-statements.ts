import { statement } from '../../../../platform/postgres/statement.ts';

/** A payment of an invoice that has succeeded, and is disputed. */
export interface DisputedPayment {
  number: number;
  amount: number;
  /** What it took beyond what was left to pay. */
  excess: number;
  /** What disputes have taken of it. */
  disputed: number;
  /** What was refunded of it. */
  refunded: number;
  method_id: string | null;
}

/** Values: tenant, invoice, payment. */
export const findDisputedPayment = statement<DisputedPayment>(
  'invoices.find_disputed_payment',
  `select p.number, p.amount, p.excess, coalesce(p.disputed, 0) as disputed, t.amount_refunded as refunded, t.method_id
     from invoice_payment p
     join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
    where p.tenant_id = $1 and p.invoice_id = $2 and p.transaction_id = $3 and p.state = 'SUCCEEDED'
      and p.applied_at is not null`,
);

/** Values: tenant, invoice, number, the changes of what disputes have taken and of the excess. */
export const changeDisputedPayment = statement(
  'invoices.change_disputed_payment',
  `update invoice_payment set disputed = coalesce(disputed, 0) + $4, excess = excess + $5
    where tenant_id = $1 and invoice_id = $2 and number = $3`,
);
