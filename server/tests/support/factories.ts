import { administratorPassword, type FlorinClient, type Reply, type TestFlorin, untilTaken } from './service/florin.ts';

/** Creates tenants, users, keys, channels and payments for tests of the whole service, through its API. */
export interface Member {
  id: number;
  userName: string;
  /** The Authorization header of a session. */
  as: string;
}

export interface MadeKey {
  id: number;
  sk: string;
  /** The Authorization header. */
  as: string;
}

export const memberPassword = 'plenty of quiet rivers';

/** The `data` of a reply, which must be a success. */
// biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what the data holds
export function dataOf({ status, body }: Reply): any {
  if (status !== 200) throw new Error(`Refused: ${JSON.stringify(body)}`);
  return body.data;
}

export function administratorOf(florin: FlorinClient): Promise<string> {
  return florin.login('admin', administratorPassword);
}

let drawn = 0;
/** A word that is unique in this test run. */
export const unique = (word: string) => `${word}-${(++drawn).toString(36)}`;

export async function makeTenant(florin: FlorinClient, as: string, name = unique('Tenant')): Promise<number> {
  return dataOf(await untilTaken(() => florin.post('/api/tenant/modify', { name, state: true }, as))).id;
}

export interface MemberFacts {
  userType: 'PLATFORM_ADMIN' | 'MERCHANT_ADMIN' | 'MERCHANT_USER';
  tenantId?: number | null;
  roles?: string[];
  userName?: string;
}

/** Creates a user and logs in. */
export async function makeMember(florin: FlorinClient, as: string, facts: MemberFacts): Promise<Member> {
  const userName = facts.userName ?? unique('user');
  const input = { ...facts, userName, email: `${userName}@example.com`, password: memberPassword, state: true };
  const { id } = dataOf(await untilTaken(() => florin.post('/api/user/modify', input, as)));
  return { id, userName, as: await florin.login(userName, memberPassword) };
}

export function channelInput(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Cards',
    code: unique('cards'),
    type: 'ONLINE',
    currency: 'USD,EUR',
    country: 'US',
    state: true,
    ...changes,
  };
}

export async function makeChannel(
  florin: Pick<TestFlorin, 'post'>,
  as: string,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const input = channelInput(changes);
  return dataOf(await untilTaken(() => florin.post('/api/channel/modify', input, as))).id;
}

/** A live key, unless `livemode` is false. */
export async function makeKey(florin: FlorinClient, as: string, scope?: string, livemode = true): Promise<MadeKey> {
  const { id, sk } = dataOf(
    await untilTaken(() => florin.post('/api/developer/mine/generate', { scope, livemode }, as)),
  );
  return { id, sk, as: `ApiKey ${sk}` };
}

/** Creates a payment that succeeded, on a channel without a provider. */
export async function makePaid(
  florin: Pick<TestFlorin, 'post'>,
  as: string,
  channelId: number,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const id = await makePayment(florin, as, channelId, changes);
  dataOf(await untilTaken(() => florin.post('/api/transaction/update', { id, status: 'SUCCESS' }, as)));
  return id;
}

export async function makePayment(
  florin: Pick<TestFlorin, 'post'>,
  as: string,
  channelId: number,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const input = { amount: 1999, currency: 'USD', channelId, ...changes };
  return dataOf(await untilTaken(() => florin.post('/api/transaction/create', input, as))).id;
}
