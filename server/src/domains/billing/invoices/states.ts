export const invoiceStatuses = ['DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/**
 * All transitions of an invoice, each with its cause. An UNCOLLECTIBLE invoice can still be paid. A refund of a payment
 * does not reopen a PAID invoice; a dispute that is lost may.
 */
export const transitions: Record<InvoiceStatus, Partial<Record<InvoiceStatus, string>>> = {
  DRAFT: { OPEN: 'finalize', PAID: 'finalize, when the total is 0', VOID: 'void' },
  OPEN: { PAID: 'payments cover it', VOID: 'void', UNCOLLECTIBLE: 'void with `uncollectible`' },
  UNCOLLECTIBLE: { PAID: 'payments cover it', VOID: 'void' },
  PAID: { OPEN: 'a dispute is lost (`reopenInvoices`)' },
  VOID: {},
};

export function mayBecome(from: InvoiceStatus, to: InvoiceStatus): boolean {
  return transitions[from][to] !== undefined;
}

/** Whether payments can be created: the invoice is finalized, and not paid or void. */
export const isPayable = (status: InvoiceStatus) => status !== 'DRAFT' && mayBecome(status, 'PAID');

/** Pairs of statuses for the SQL guard. Pairs of equal statuses are included: a payment can change amounts alone. */
export const permittedTransitions: string = invoiceStatuses
  .flatMap((from) => [from, ...invoiceStatuses.filter((to) => mayBecome(from, to))].map((to) => `('${from}', '${to}')`))
  .join(', ');

export const paymentStates = ['OPEN', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type PaymentState = (typeof paymentStates)[number];
