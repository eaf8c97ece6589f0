import type { IncomingHttpHeaders } from 'node:http';
import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { WebhooksApp } from '../app.ts';
import { signingKeys } from '../endpoints/signature.ts';
import { hashOfToken, hasTokenFormat, inboxSecretAssociatedData } from './create.ts';
import type { received } from './schema.ts';
import { verifyService, verifyStandard } from './signature-verdict.ts';
import { findInboxByToken, insertMessage, maxMessages } from './statements.ts';

/** Not stored: those who read an inbox must not learn the credentials of those who post to it. */
const credentialHeader = /auth|cookie|token|secret|passw|credential|api-?key|session/;

/** Stores a message that was posted to an inbox, with the verdicts on its signatures. */
export async function receiveMessage(
  token: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  { database, clock, generateUuid, open, isLost }: WebhooksApp,
): Promise<Static<typeof received>> {
  const nowMs = clock();
  const [inbox] = hasTokenFormat(token) ? await database.run(findInboxByToken, [hashOfToken(token), nowMs]) : [];
  if (inbox === undefined) throw noSuchInbox();
  const sealed = inbox.secret_sealed;
  const keys = sealed && !isLost(sealed) ? signingKeys(open(sealed, inboxSecretAssociatedData(inbox.id))) : null;
  const service = keys && verifyService(keys, headers, body);
  const standard = keys && verifyStandard(keys, headers, body);
  const values = [inbox.id, generateUuid(), nowMs, headersJson(headers), body, service, standard];
  const [inserted] = await database.run(insertMessage, values);
  if (inserted === undefined) throw noSuchInbox();
  if (!inserted.is_inserted) {
    throw new Refusal('too_many_requests', rule('inbox_a_second', { limit: maxMessages }), {
      retryAfterSeconds: 1,
    });
  }
  return { serviceSignature: service, standardSignature: standard };
}

function noSuchInbox(): Refusal {
  return new Refusal('record_not_found', rule('inbox_gone'), { field: 'token' });
}

function headersJson(headers: IncomingHttpHeaders): string {
  return JSON.stringify(Object.fromEntries(Object.entries(headers).filter(([name]) => !credentialHeader.test(name))));
}
