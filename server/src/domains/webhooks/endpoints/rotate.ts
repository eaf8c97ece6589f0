import type { Static } from 'typebox';
import { dayMs } from '../../../core/clock.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { secretsGiven } from '../../identity/audit/changes.ts';
import type { WebhooksApp } from '../app.ts';
import { endpointSecretAssociatedData } from './directory.ts';
import { lockManagedEndpoint } from './managed-endpoint.ts';
import { rotateInput } from './schema.ts';
import { requireDecodableSecret } from './signature.ts';
import { type EndpointRow, promoteSecret, schedulePromotion, stageSecret } from './statements.ts';

type RotateInput = Static<typeof rotateInput>;

/**
 * Changes an endpoint's secret in two steps, so that the receiver can switch without rejecting a delivery. While a
 * secret is staged, `webhook-signature` carries the signatures of both secrets and `X-Service-Signature` that of the
 * present one; after the promotion, only the new secret signs.
 */
export async function rotateSecret(
  { body: input, principal }: Call<RotateInput>,
  { database, seal, clock }: WebhooksApp,
): Promise<EndpointRow> {
  const nowMs = clock();
  const promoteMs = promotionTimeOf(input, nowMs);
  const { id, secret, promote } = input;
  if (secret !== undefined) requireDecodableSecret(secret);
  const saved = await database.transaction(async (transaction) => {
    const { tenant_id, has_next_secret, promote_at } = await lockManagedEndpoint(transaction, id, principal);
    await appendAudit(transaction, principal, {
      action: 'webhook.rotate_secret',
      tenantId: tenant_id,
      recordId: id,
      secrets: secretsGiven(rotateInput, input),
      details: { promote: promote === true, promoteAt: input.promoteAt ?? null },
    });
    if (secret !== undefined) {
      const sealed = seal(secret, endpointSecretAssociatedData(tenant_id, id));
      return (await transaction.run(stageSecret, [id, nowMs, sealed, promoteMs]))[0];
    }
    const isPromoted = promote_at !== null && Date.parse(promote_at) <= nowMs;
    if (!has_next_secret || (isPromoted && !promote)) throw nothingStaged(id);
    const [row] = promote
      ? await transaction.run(promoteSecret, [id, nowMs])
      : await transaction.run(schedulePromotion, [id, nowMs, promoteMs]);
    return row;
  });
  return saved as EndpointRow;
}

const latestPromotionMs = 366 * dayMs;

/** When the staged secret is promoted; null: on request, or now with `promote`. */
function promotionTimeOf({ secret, promote, promoteAt }: RotateInput, nowMs: number): number | null {
  if (promote !== undefined && (secret !== undefined || promoteAt !== undefined)) {
    throw invalid('promote', rule('promote_alone'));
  }
  if (promote === undefined && secret === undefined && promoteAt === undefined) {
    throw invalid('secret', rule('stage_or_promote'));
  }
  if (promoteAt === undefined) return null;
  const promoteMs = Date.parse(promoteAt);
  if (!(promoteMs > nowMs && promoteMs <= nowMs + latestPromotionMs)) {
    throw invalid('promoteAt', rule('within_a_year'));
  }
  return promoteMs;
}

function nothingStaged(id: number): Refusal {
  return new Refusal('no_secret_staged', rule('no_secret_staged', { id }), { field: 'promote' });
}
