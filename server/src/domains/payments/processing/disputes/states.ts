/**
 * OPEN: the provider has not been asked, or has not given an answer that decides. DISAGREES: its answer contradicts what is
 * settled; it is asked again every day. AGREES and CLOSED are closed: by the provider's answer, and by a user. A new report
 * opens a dispute again; one that a user has closed, only if the report differs.
 */
export const disputeStates = ['OPEN', 'DISAGREES', 'AGREES', 'CLOSED'] as const;
export type DisputeState = (typeof disputeStates)[number];
