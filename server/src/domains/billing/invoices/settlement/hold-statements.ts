import { statement, type Topic } from '../../../../platform/postgres/statement.ts';

/** Found by the due-work poller alone: authorized payments of invoices are rare. */
export const holdsDue: Topic = 'holds';

/** What becomes of an authorized payment of a purchase. Null: it is not authorized, or not judged yet. */
export type HoldState = 'CONTESTED' | 'KEPT' | 'RELEASING' | null;

/** An authorized payment of an invoice that may find less left than its amount. */
export interface ContestedHold {
  tenant_id: number;
  invoice_id: number;
  number: number;
  /** The payment's UUID. */
  transaction_id: string;
  hold_state: 'CONTESTED' | 'RELEASING';
}

/** Whether nothing is under way of payment `p` that may end its authorization. */
export const isIdle = `not exists (
  select from provider_operation o
   where o.tenant_id = p.tenant_id and o.transaction_id = p.transaction_id
     and o.kind in ('CANCEL', 'CAPTURE', 'RELEASE') and o.finished_at is null)`;

const toJudge = `p.state = 'OPEN' and p.hold_state in ('CONTESTED', 'RELEASING') and ${isIdle}`;

/** For the poller. */
export const contestedHoldDue = `select from invoice_payment p where ${toJudge}`;

/** Values: limit. */
export const findContestedHolds = statement<ContestedHold>(
  'invoices.find_contested_holds',
  `select p.tenant_id, p.invoice_id, p.number, p.transaction_id, p.hold_state from invoice_payment p
    where ${toJudge} order by p.tenant_id, p.invoice_id, p.transaction_id limit $1`,
);

/** Those of a locked invoice, the oldest payment first. Values: tenant, invoice. */
export const findContestedHoldsOf = statement<ContestedHold>(
  'invoices.find_contested_holds_of',
  `select p.tenant_id, p.invoice_id, p.number, p.transaction_id, p.hold_state from invoice_payment p
    where p.tenant_id = $1 and p.invoice_id = $2 and ${toJudge} order by p.transaction_id`,
);

/** What the authorized payments of a locked invoice that stay can still capture. Values: tenant, invoice. */
export const sumKeptHolds = statement<{ amount: number }>(
  'invoices.sum_kept_holds',
  `select coalesce(sum(p.amount - coalesce(t.amount_captured, 0)), 0)::bigint as amount
     from invoice_payment p
     join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
    where p.tenant_id = $1 and p.invoice_id = $2 and p.state = 'OPEN' and p.hold_state = 'KEPT'`,
);

/** Values: tenant, invoice, number, what becomes of it. */
export const setHoldState = statement(
  'invoices.set_hold_state',
  'update invoice_payment set hold_state = $4 where tenant_id = $1 and invoice_id = $2 and number = $3',
);

/** The authorized payments of locked invoices that have just been paid. Values: arrays of tenants and invoices. */
export const contestHoldsOf = statement(
  'invoices.contest_holds_of',
  `update invoice_payment p set hold_state = 'CONTESTED'
     from unnest($1::bigint[], $2::bigint[]) as paid (tenant_id, id)
    where p.tenant_id = paid.tenant_id and p.invoice_id = paid.id and p.state = 'OPEN' and p.hold_state = 'KEPT'`,
);
