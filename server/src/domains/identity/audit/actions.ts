/**
 * Every action that the audit log records, with its meaning. The part before the dot is the type of the record. Names are
 * stable: they are stored, filtered by and exported.
 */
export const auditActions = {
  'tenant.create': 'A tenant was created.',
  'tenant.update': 'A tenant was changed, enabled or disabled.',
  'user.create': 'A user was created.',
  'user.update': 'A user was changed, enabled or disabled.',
  'user.request_password_reset': 'A password reset was requested and its token mailed.',
  'user.reset_password': 'A password was reset with a mailed token.',
  'user.change_password': 'A user changed the own password.',
  'user.add_second_factor': 'A user enrolled a second factor.',
  'user.remove_second_factor': 'A second factor was removed, by its user or by an administrator.',
  'user.add_passkey': 'A user registered a passkey.',
  'user.update_passkey': 'A user renamed a passkey.',
  'user.remove_passkey': 'A user removed a passkey.',
  'user.regenerate_recovery_codes': 'A user replaced the own recovery codes, which were shown once.',
  'session.step_up': 'A user proved the second factor again, for what needs it.',
  'session.login': 'A user logged in.',
  'session.login_refused': 'A login was refused.',
  'session.logout': 'A user logged out.',
  'session.revoke': 'A user ended one or all of the own sessions.',
  'key.create': 'A developer key was generated and shown once.',
  'key.rotate': 'A developer key was replaced by a new one, which was shown once.',
  'key.revoke': 'A developer key was revoked.',
  'device.approve': 'A user approved the login of a program on another device, which then gets a key.',
  'device.deny': 'A user denied the login of a program on another device.',
  'access.refuse': 'A request was refused for lack of permission.',
  'webhook.create': 'A webhook endpoint was registered.',
  'webhook.update': 'A webhook endpoint was changed, enabled or disabled.',
  'webhook.remove': 'A webhook endpoint was removed.',
  'webhook.rotate_secret': 'A secret of a webhook endpoint was staged or promoted.',
  'webhook.ping': 'A test delivery was requested.',
  'webhook.replay': 'A replay of events to an endpoint was started.',
  'delivery.replay': 'One delivery was replayed.',
  'inbox.create': 'An inbox was created and its token shown once.',
  'channel.create': 'A channel was created.',
  'channel.update': 'A channel or its credentials were changed.',
  'transaction.update': 'A payment was changed by hand.',
  'refund.create': 'A refund was created.',
  'dispute.close': 'A dispute with a provider was closed. The record is its payment.',
  'clock.create': 'A test clock was created.',
  'clock.advance': 'A test clock was advanced.',
  'customer.create': 'A customer was created.',
  'customer.update': 'A customer was changed.',
  'invoice.create': 'An invoice was created as a draft.',
  'invoice.update': 'A draft of an invoice was changed.',
  'invoice.finalize': 'An invoice was finalized.',
  'invoice.pay': 'A payment of an invoice was created.',
  'invoice.void': 'An invoice was made void or uncollectible.',
  'plan.create': 'A plan was created.',
  'plan.update': 'A plan was changed.',
  'subscription.create': 'A subscription was created.',
  'subscription.update': 'A subscription was changed.',
  'subscription.pause': 'A subscription was paused.',
  'subscription.resume': 'A subscription was resumed.',
  'subscription.cancel': 'A subscription was cancelled, or will be at the end of its period.',
  'checkout.create': 'A page for a payer was made, by a user or for a mail about an invoice.',
  'checkout.expire': 'A page for a payer was closed.',
  'checkout.pay': 'A payer made a payment on a page.',
  'portal.create': 'A link to the portal of a customer was made. The record is the customer.',
  'transaction.export': 'Payments were exported.',
  'refund.export': 'Refunds were exported.',
  'customer.export': 'Customers were exported.',
  'invoice.export': 'Invoices were exported.',
  'subscription.export': 'Subscriptions were exported.',
  'event.export': 'Events were exported.',
  'delivery.export': 'Webhook deliveries were exported.',
  'audit.export': 'The audit log was exported.',
  'audit.expire':
    'Expired entries were removed. Holds the number and the hash of the last one, on which the chain goes on.',
} as const;

export type AuditAction = keyof typeof auditActions;

export const auditActionNames = Object.keys(auditActions) as AuditAction[];

/** The type of the record that an action concerns: `channel` for `channel.update`. */
export function recordTypeOf(action: AuditAction): string {
  return action.slice(0, action.indexOf('.'));
}
