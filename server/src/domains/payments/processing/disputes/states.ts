/**
 * OPEN: no look-up has given a verdict. DISAGREES: the provider's answer contradicts what is settled; it is looked up again
 * every day. AGREES: closed by the provider's answer. CLOSED: closed by a user. A new report opens a dispute again; if a user
 * has closed it, only a different report does.
 */
export const disputeStates = ['OPEN', 'DISAGREES', 'AGREES', 'CLOSED'] as const;
export type DisputeState = (typeof disputeStates)[number];
