/** The paths that a change of a payment affects. */
const payments = [
  '/api/transaction/',
  '/api/refund/',
  '/api/statistics/',
  '/api/ledger/',
  '/api/discrepancy/',
  '/api/dispute/',
  '/api/checkout/',
  '/api/payment-method/',
  '/api/customer/summary',
];
const webhooks = ['/api/event/', '/api/webhook/delivery/', '/api/inbox/'];
const billing = ['/api/invoice/', '/api/subscription/'];
const methods = ['/api/payment-method/', '/api/customer/', ...webhooks, ...billing];

/** The paths that a change affects, by the first word of an event's type or of a path of the API. */
const affected: Readonly<Record<string, readonly string[]>> = {
  transaction: [...payments, ...webhooks, ...billing],
  refund: [...payments, ...webhooks, ...billing],
  dispute: [...payments, ...webhooks, ...billing],
  invoice: [...billing, ...payments, ...webhooks],
  subscription: [...billing, ...payments, ...webhooks],
  customer: ['/api/customer/', '/api/payment-method/', ...webhooks],
  payment_method: methods,
  'payment-method': methods,
  webhook: ['/api/webhook/', ...webhooks],
  channel: ['/api/channel/', '/api/transaction/', '/api/statistics/', '/api/console/'],
  developer: ['/api/developer/', '/api/console/'],
  plan: ['/api/plan/', '/api/subscription/'],
  tenant: ['/api/tenant/', '/api/seller/', '/api/console/'],
  seller: ['/api/seller/', '/api/tenant/', '/api/console/'],
  user: ['/api/user/', '/api/console/', '/api/session/'],
};

/** Whether a POST to `changedPath` may change what is read at `readPath`. */
export function affectedBy(changedPath: string, readPath: string): boolean {
  const group = changedPath.split('/')[2] ?? '';
  return isAffected(group, readPath) || readPath.startsWith('/api/audit/');
}

/** Whether an event of this type may report a change of what is read at `readPath`. */
export function affectedByEvent(type: string, readPath: string): boolean {
  return isAffected(type.split('.')[0] ?? '', readPath);
}

function isAffected(group: string, readPath: string): boolean {
  return (affected[group] ?? [`/api/${group}/`]).some((beginning) => `${readPath}/`.startsWith(beginning));
}
