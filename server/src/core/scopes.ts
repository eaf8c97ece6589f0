/**
 * The scopes of the interface (Authentication, Scopes for developer keys), in its order, and two for webhooks: an
 * endpoint sends all events of its tenant to a URL that the caller chooses, so that creating one needs more than a read
 * scope.
 */
export const scopes = [
  'transaction_write',
  'transaction_read',
  'transaction_refund',
  'user_write',
  'user_read',
  'channel_read',
  'channel_write',
  'invoice_read',
  'invoice_write',
  'subscription_read',
  'subscription_write',
  'webhook_read',
  'webhook_write',
] as const;

export type Scope = (typeof scopes)[number];

/** All permissions; only administrators may grant it. */
export const allScopes = '*';

/** A scope, or `*`: what administrators hold in their sessions, and in keys that were granted `*`. */
export type Permission = Scope | typeof allScopes;

/** The scopes of a key that is created without any (interface, Scopes for developer keys). */
export const defaultScopes: readonly Scope[] = ['transaction_write', 'transaction_read', 'user_write', 'user_read'];

export const userTypes = ['PLATFORM_ADMIN', 'MERCHANT_ADMIN', 'MERCHANT_USER'] as const;
export type UserType = (typeof userTypes)[number];

const readScopes = scopes.filter((scope) => scope.endsWith('_read'));

/** Roles of a MERCHANT_USER: named sets of scopes, each a superset of the one before. */
export const roles = {
  viewer: readScopes,
  cashier: [...readScopes, 'transaction_write'],
  operator: [
    ...readScopes,
    'transaction_write',
    'transaction_refund',
    'invoice_write',
    'subscription_write',
    'webhook_write',
  ],
} as const satisfies Record<string, readonly Scope[]>;

export type Role = keyof typeof roles;
export const roleNames = Object.keys(roles) as Role[];

/** The scopes of a user: all for administrators, those of their roles for others. */
export function scopesOfUser(userType: UserType, userRoles: readonly string[]): ReadonlySet<Scope> {
  if (userHoldsAll(userType)) return new Set(scopes);
  return new Set(userRoles.flatMap((role) => (Object.hasOwn(roles, role) ? roles[role as Role] : [])));
}

/** Whether a user holds `*`, which permits what no single scope does, such as administering tenants. */
export function userHoldsAll(userType: UserType): boolean {
  return userType !== 'MERCHANT_USER';
}

/** Whether a key holds `*`: it was granted `*`, and its owner holds it. Naming every scope is not enough. */
export function keyHoldsAll(keyScope: string, ownerHoldsAll: boolean): boolean {
  return ownerHoldsAll && keyScope.split(',').includes(allScopes);
}

/** The scopes of a key: those it names, limited to those of its owner (docs/decisions/authority.md). */
export function scopesOfKey(keyScope: string, owner: ReadonlySet<Scope>): ReadonlySet<Scope> {
  const named = keyScope.split(',');
  return named.includes(allScopes) ? owner : new Set([...owner].filter((scope) => named.includes(scope)));
}
