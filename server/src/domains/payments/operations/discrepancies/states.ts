/**
 * OPEN: no look-up has given a verdict. DISAGREES: the provider's answer contradicts what is settled; it is looked up
 * again every day. AGREES: the difference is gone. CLOSED: closed by a user. A new report opens a discrepancy again; if
 * a user has closed it, only a different report does.
 */
export const discrepancyStates = ['OPEN', 'DISAGREES', 'AGREES', 'CLOSED'] as const;
export type DiscrepancyState = (typeof discrepancyStates)[number];

/**
 * OPERATION: a provider contradicts what is settled, or its dispute has another currency than the payment. OVERDRAWN:
 * more of a payment was given back than it took. Only an operation is asked about again.
 */
export const discrepancySubjects = ['OPERATION', 'OVERDRAWN'] as const;
export type DiscrepancySubject = (typeof discrepancySubjects)[number];
