import type { IncomingHttpHeaders } from 'node:http';
import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { signingKeys } from '../endpoints/signature.ts';
import { hashOfToken, type InboxDeps, looksLikeToken, secretPlace } from './create.ts';
import type { received } from './schema.ts';
import { verifyService, verifyStandard } from './signature-verdict.ts';
import { findInboxByToken, keepMessage, messagesKept } from './statements.ts';

/** Not kept: an inbox is read by others than those who send to it. */
const credentials = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** Keeps what was posted to an inbox, and says whether its signatures are good. */
export async function receiveMessage(
  token: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  { database, clock, drawUuid, open }: InboxDeps,
): Promise<Static<typeof received>> {
  const nowMs = clock();
  const [inbox] = looksLikeToken(token) ? await database.run(findInboxByToken, [hashOfToken(token), nowMs]) : [];
  if (inbox === undefined) {
    throw new Refusal('record_not_found', 'There is no such inbox, or its seven days are over.', { field: 'token' });
  }
  const keys = inbox.secret_sealed && signingKeys(open(inbox.secret_sealed, secretPlace(inbox.id)));
  const service = keys && verifyService(keys, headers, body);
  const standard = keys && verifyStandard(keys, headers, body);
  const values = [inbox.id, drawUuid(), nowMs, headersJson(headers), body, service, standard];
  const [kept] = await database.run(keepMessage, values);
  if (kept === undefined) {
    throw new Refusal('too_many_requests', `An inbox takes ${messagesKept} messages a second at most.`, {
      retryAfterSeconds: 1,
    });
  }
  return { serviceSignature: service, standardSignature: standard };
}

function headersJson(headers: IncomingHttpHeaders): string {
  return JSON.stringify(Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name))));
}
