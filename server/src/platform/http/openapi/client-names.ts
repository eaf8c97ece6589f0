/** Names of SDK methods that do not follow from the path. */
const givenNames: Readonly<Record<string, string>> = {
  'GET /api/developer/mine': 'keys.list',
  'POST /api/developer/mine/generate': 'keys.generate',
  'POST /api/developer/mine/revoke': 'keys.revoke',
  'POST /api/developer/mine/rotate': 'keys.rotate',
  'GET /api/developer/current': 'keys.current',
  'GET /api/developer/list': 'keys.listAll',
  'POST /api/developer/revoke': 'keys.revokeAny',
  'POST /api/user/login/second-factor': 'users.loginSecondFactor',
  'POST /api/user/login/passkey': 'passkeys.login',
  'POST /api/user/login/passkey/begin': 'passkeys.beginLogin',
  'GET /api/user/passkey/list': 'passkeys.list',
  'POST /api/user/passkey/begin': 'passkeys.begin',
  'POST /api/user/passkey/register': 'passkeys.register',
  'POST /api/user/passkey/modify': 'passkeys.modify',
  'POST /api/user/passkey/remove': 'passkeys.remove',
  'POST /api/user/step-up/passkey': 'passkeys.stepUp',
  'POST /api/user/step-up/passkey/begin': 'passkeys.beginStepUp',
  'GET /api/user/second-factor': 'secondFactor.get',
  'GET /api/console/session': 'console.profile',
  'POST /api/console/session': 'console.signIn',
  'POST /api/console/session/second-factor': 'console.confirmSignIn',
  'POST /api/console/session/passkey': 'console.signInWithPasskey',
  'POST /api/console/session/end': 'console.signOut',
  'POST /api/device/code': 'devices.begin',
  'POST /api/device/token': 'devices.claim',
  'POST /api/customer/portal': 'customers.createPortal',
  'GET /api/stream': 'events.stream',
  'GET /api/search': 'search.find',
  'POST /inbox/{token}': 'inboxes.post',
  'POST /api/callback/{channel}/{token}': 'callbacks.post',
  'POST /api/callback/{channel}': 'callbacks.postWithoutToken',
};

/** Nouns whose resource is not their plural. */
const resourceNames: Readonly<Record<string, string>> = {
  audit: 'audit',
  health: 'health',
  ledger: 'ledger',
  statistics: 'statistics',
  system: 'system',
  developer: 'keys',
  secondFactor: 'secondFactor',
  tax: 'tax',
};

/** Nouns under another one that have a resource of their own. */
const ownResources: readonly string[] = ['secondFactor'];

const givenVerbs: Readonly<Record<string, string>> = { detail: 'get' };

/**
 * The SDK's method for an operation, with its resource: POST /api/transaction/create is `transactions.create`, and
 * GET /api/webhook/delivery/detail is `webhooks.deliveries.get`.
 */
export function methodName(method: string, path: string): string {
  const given = givenNames[`${method} ${path}`];
  if (given !== undefined) return given;
  const words = path
    .split('/')
    .filter((word) => word !== '' && word !== 'api' && !word.startsWith('{'))
    .map(camelCase);
  const verb = words.pop() as string;
  const nouns = words.length === 0 ? [verb] : words;
  const own = nouns.findLastIndex((noun) => ownResources.includes(noun));
  return [...nouns.slice(Math.max(0, own)).map(resourceName), givenVerbs[verb] ?? verb].join('.');
}

const resourceName = (noun: string) => resourceNames[noun] ?? pluralOf(noun);

/** `delivery` becomes `deliveries`. */
function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies');
  if (noun.endsWith('s')) return noun;
  return /(x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

const camelCase = (word: string) => word.replaceAll(/-(\w)/g, (_all, letter) => letter.toUpperCase());

/** `webhooks.deliveries.get` becomes `WebhooksDeliveriesGet`. */
export const typeName = (name: string) => name.split(/[._]/).map(capital).join('');

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
