/**
 * Notifies every node that a tenant or a user has changed. Caches of principals drop all their entries: such changes are
 * rare, and a stale entry would let a revoked caller in.
 */
export const principalsTopic = 'principals';
