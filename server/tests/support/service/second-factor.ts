import { codeAt, stepAt } from '../../../src/domains/identity/second-factor/totp.ts';
import { dataOf, type Member, memberPassword } from '../factories.ts';
import type { FlorinClient, Reply } from './florin.ts';

export interface Enrolled {
  secret: string;
  recoveryCodes: string[];
  /** The Authorization header from now on: the strict profile replaces the tokens. */
  as: string;
}

/** Enrols a second factor in the user's session, as an authenticator app would. */
export async function enrol(
  florin: FlorinClient,
  as: string,
  nowMs: number,
  password = memberPassword,
): Promise<Enrolled> {
  const { secret } = dataOf(await florin.post('/api/user/second-factor/begin', { password }, as));
  const code = codeAt(secret, stepAt(nowMs));
  const { recoveryCodes, token } = dataOf(await florin.post('/api/user/second-factor/confirm', { code }, as));
  return { secret, recoveryCodes, as: token === undefined ? as : `Bearer ${token.accessToken}` };
}

/** The challenge that answers a login with the right password. */
export async function challengeOf(
  florin: FlorinClient,
  { userName }: Pick<Member, 'userName'>,
  password = memberPassword,
): Promise<string> {
  const { status, body } = await florin.post('/api/user/login', { account: userName, password });
  if (body.error?.type !== 'second_factor_challenge')
    throw new Error(`No challenge: ${status} ${JSON.stringify(body)}`);
  return body.error.details.challenge;
}

export function finishLogin(florin: FlorinClient, challenge: string, code: string): Promise<Reply> {
  return florin.post('/api/user/login/second-factor', { challenge, code });
}
