export const invoiceStatuses = ['DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/**
 * The one table of transitions, each with what brings it about (decisions, Customers, invoices, subscriptions). What was
 * given up as uncollectible may be paid after all. Refunding a payment does not open an invoice again: it was paid.
 */
export const transitions: Record<InvoiceStatus, Partial<Record<InvoiceStatus, string>>> = {
  DRAFT: { OPEN: 'finalize', PAID: 'finalize, where nothing is due', VOID: 'void' },
  OPEN: { PAID: 'payments cover it', VOID: 'void', UNCOLLECTIBLE: 'void, as uncollectible' },
  UNCOLLECTIBLE: { PAID: 'payments cover it', VOID: 'void' },
  PAID: {},
  VOID: {},
};

export function mayBecome(from: InvoiceStatus, to: InvoiceStatus): boolean {
  return transitions[from][to] !== undefined;
}

/** What payments may be made for: it is finalized, and not paid or void. */
export const isPayable = (status: InvoiceStatus) => status !== 'DRAFT' && mayBecome(status, 'PAID');

/** The table as the guard in SQL wants it; an invoice that stays where it is only counts its payments. */
export const permittedTransitions: string = invoiceStatuses
  .flatMap((from) => [from, ...invoiceStatuses.filter((to) => mayBecome(from, to))].map((to) => `('${from}', '${to}')`))
  .join(', ');

export const paymentStates = ['OPEN', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type PaymentState = (typeof paymentStates)[number];
