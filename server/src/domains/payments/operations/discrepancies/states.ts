/**
 * OPEN: no look-up has given a verdict. DISAGREES: the provider's answer contradicts what is settled; it is looked up
 * again every day. AGREES: closed by the provider's answer. CLOSED: closed by a user. A new report opens a discrepancy
 * again; if a user has closed it, only a different report does.
 */
export const discrepancyStates = ['OPEN', 'DISAGREES', 'AGREES', 'CLOSED'] as const;
export type DiscrepancyState = (typeof discrepancyStates)[number];
