/**
 * The topic on which every node hears that a tenant or a user changed. Whoever remembers principals forgets them all:
 * such changes are rare, and one key or session too many remembered would be one too many.
 */
export const principalsTopic = 'principals';
