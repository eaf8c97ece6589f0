/** What a payment changes besides itself. */
const payments = [
  '/api/transaction/',
  '/api/refund/',
  '/api/statistics/',
  '/api/ledger/',
  '/api/dispute/',
  '/api/checkout/',
];
const webhooks = ['/api/event/', '/api/webhook/delivery/', '/api/inbox/'];
const billing = ['/api/invoice/', '/api/subscription/'];

/** By the first word of an event's type, or of a path of the API. */
const concerned: Readonly<Record<string, readonly string[]>> = {
  transaction: [...payments, ...webhooks, ...billing],
  refund: [...payments, ...webhooks, ...billing],
  invoice: [...billing, ...payments, ...webhooks],
  subscription: [...billing, ...payments, ...webhooks],
  customer: ['/api/customer/', ...webhooks],
  webhook: ['/api/webhook/', ...webhooks],
  channel: ['/api/channel/', '/api/transaction/', '/api/statistics/'],
  plan: ['/api/plan/', '/api/subscription/'],
  tenant: ['/api/tenant/', '/api/seller/', '/api/console/'],
  seller: ['/api/seller/', '/api/tenant/', '/api/console/'],
  user: ['/api/user/', '/api/console/', '/api/session/'],
};

/** Whether what is read at `readPath` may have changed by a POST to `changedPath`. */
export function affectedBy(changedPath: string, readPath: string): boolean {
  const group = changedPath.split('/')[2] ?? '';
  return isConcerned(group, readPath) || readPath.startsWith('/api/audit/');
}

/** Whether what is read at `readPath` may have changed by an event of this type. */
export function affectedByEvent(type: string, readPath: string): boolean {
  return isConcerned(type.split('.')[0] ?? '', readPath);
}

function isConcerned(group: string, readPath: string): boolean {
  return (concerned[group] ?? [`/api/${group}/`]).some((beginning) => `${readPath}/`.startsWith(beginning));
}
