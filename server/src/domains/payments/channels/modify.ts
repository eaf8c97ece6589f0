import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Creation } from '../../../platform/http/shapes.ts';
import { violatedConstraint } from '../../../platform/postgres/connection/failures.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { type IdempotentAnswer, onceFor } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { secretsGiven } from '../../identity/audit/changes.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import { sandboxDisabled } from '../providers/directory.ts';
import { type SecretName, secretPlace } from './credentials.ts';
import type { ChannelDirectory } from './directory.ts';
import { recordOf } from './record.ts';
import { currenciesOf, mayChange, mayUse, mixesSandboxWithRealMoney } from './rules.ts';
import { channelInput, type requiredOfNewChannel } from './schema.ts';
import {
  type ChannelRow,
  findChannel,
  findChannels,
  findChannelsFallingBackOn,
  insertChannel,
  lockChannels,
  nextChannelId,
  updateChannel,
} from './statements.ts';

export interface ChannelDeps {
  database: Database;
  directory: ChannelDirectory;
  /** Encrypts a secret so that it can only be decrypted for this place. */
  seal: (plain: string, where: string) => Buffer;
  clock: Clock;
  /** `app.sandbox.enabled`: whether a channel may use the sandbox. */
  sandboxEnabled: boolean;
}

type ChannelInput = Static<typeof channelInput>;
type WholeChannel = Creation<ChannelInput, typeof requiredOfNewChannel>;

/** Creates a channel, or updates the one with `id`, which keeps what is left out. Returns the saved channel. */
export async function saveChannel(
  input: ChannelInput,
  caller: Principal,
  deps: ChannelDeps,
  idempotencyKey?: string,
): Promise<IdempotentAnswer<ChannelRow>> {
  const principal = await actFor(caller, input.tenantId, deps.database);
  const secrets = secretsGiven(channelInput, input);
  if (Object.keys(secrets).length > 0) requireStepUp(principal, deps.clock(), 'Setting the secrets of a channel');
  const once = onceFor(deps.database, {
    tenantId: principal.tenantId,
    path: '/api/channel/modify',
    key: idempotencyKey,
    input: { ...input, ...secrets },
    nowMs: deps.clock(),
  });
  const saved = await refuseTakenCode(input.code, () =>
    once(async (transaction) => {
      await transaction.run(lockChannels);
      return input.id === undefined
        ? create(input as WholeChannel, principal, transaction, deps)
        : update(input.id, input, principal, transaction, deps);
    }),
  );
  await deps.directory.changed(deps.database, saved.answer.id);
  return saved;
}

async function refuseTakenCode<Result>(code: string | undefined, save: () => Promise<Result>): Promise<Result> {
  try {
    return await save();
  } catch (error) {
    if (violatedConstraint(error) !== 'channel_tenant_id_code_key') throw error;
    throw new Refusal('channel_code_taken', `Another channel already has the code ${code}.`, { field: 'code' });
  }
}

async function create(
  input: WholeChannel,
  principal: Principal,
  transaction: Queryable,
  { seal, clock, sandboxEnabled }: ChannelDeps,
): Promise<ChannelRow> {
  const currencies = currenciesOf(input.currency);
  const { tenantId } = principal;
  if (input.provider === 'sandbox' && !sandboxEnabled) throw sandboxDisabled('provider');
  await requireUsableFallbacks(input, tenantId, transaction);
  const planned = { provider: input.provider ?? null, fallback_channel_ids: input.fallbackChannelIds ?? [] };
  await requireUnmixedFallbacks(undefined, planned, input, transaction);
  const [{ id }] = (await transaction.run(nextChannelId)) as [{ id: number }];
  const sealed = (name: SecretName) => sealedOrNull(input[name], seal, tenantId, id, name);
  const [row] = await transaction.run(insertChannel, [
    tenantId,
    id,
    input.name,
    input.code,
    input.type,
    currencies,
    input.country,
    input.state,
    sealed('apiKey'),
    sealed('apiSecret'),
    sealed('webhookSecret'),
    new Date(clock()),
    input.provider ?? null,
    input.fallbackChannelIds ?? null,
  ]);
  await audit(transaction, principal, input, undefined, row as ChannelRow);
  return row as ChannelRow;
}

async function update(
  id: number,
  input: ChannelInput,
  principal: Principal,
  transaction: Queryable,
  { seal, clock, sandboxEnabled }: ChannelDeps,
): Promise<ChannelRow> {
  const [existing] = await transaction.run(findChannel, [id]);
  if (existing === undefined || !mayChange(existing, principal)) throw notFound('channel', id);
  const { name, code, type, currency, country, state } = recordOf(existing);
  const whole: WholeChannel = { name, code, type, currency, country, state, ...input };
  const planned = {
    provider: input.provider === undefined ? existing.provider : input.provider,
    fallback_channel_ids: input.fallbackChannelIds ?? existing.fallback_channel_ids,
  };
  if (planned.provider === 'sandbox' && existing.provider !== 'sandbox' && !sandboxEnabled) {
    throw sandboxDisabled('provider');
  }
  await requireUsableFallbacks(input, existing.tenant_id, transaction);
  await requireUnmixedFallbacks(existing, planned, input, transaction);
  const secret = (name: SecretName) => [
    input[name] !== undefined,
    sealedOrNull(input[name], seal, existing.tenant_id, id, name),
  ];
  const [row] = await transaction.run(updateChannel, [
    existing.tenant_id,
    id,
    whole.name,
    whole.code,
    whole.type,
    currenciesOf(whole.currency),
    whole.country,
    whole.state,
    ...secret('apiKey'),
    ...secret('apiSecret'),
    ...secret('webhookSecret'),
    input.provider !== undefined,
    input.provider ?? null,
    input.fallbackChannelIds ?? null,
    new Date(clock()),
  ]);
  await audit(transaction, principal, input, existing, row as ChannelRow);
  return row as ChannelRow;
}

async function audit(
  transaction: Queryable,
  principal: Principal,
  input: ChannelInput,
  before: ChannelRow | undefined,
  after: ChannelRow,
): Promise<void> {
  await appendAudit(transaction, principal, {
    action: before === undefined ? 'channel.create' : 'channel.update',
    tenantId: after.tenant_id,
    recordId: after.id,
    before: before && recordOf(before),
    after: recordOf(after),
    secrets: secretsGiven(channelInput, input),
  });
}

/** Every fallback must be another channel, and one that the tenant may use. */
async function requireUsableFallbacks(
  { id, fallbackChannelIds = [] }: ChannelInput,
  tenantId: number,
  transaction: Queryable,
): Promise<void> {
  if (fallbackChannelIds.length === 0) return;
  const found = new Map((await transaction.run(findChannels, [fallbackChannelIds])).map((row) => [row.id, row]));
  for (const fallbackId of fallbackChannelIds) {
    if (fallbackId === id) throw invalid('fallbackChannelIds', 'A channel cannot fall back on itself.');
    const fallback = found.get(fallbackId);
    if (fallback === undefined || !mayUse(fallback, tenantId)) {
      throw new Refusal('record_not_found', `There is no channel ${fallbackId}.`, { field: 'fallbackChannelIds' });
    }
  }
}

/** The channel as it will be after the change. */
type PlannedChannel = Pick<ChannelRow, 'provider' | 'fallback_channel_ids'>;

/**
 * The sandbox must not be a fallback of a channel that moves real money: a real decline would become a success. Nor the other
 * way round. Existing channels that violate this can still be changed in other fields.
 */
async function requireUnmixedFallbacks(
  existing: ChannelRow | undefined,
  planned: PlannedChannel,
  input: ChannelInput,
  transaction: Queryable,
): Promise<void> {
  const providerChanges = existing !== undefined && existing.provider !== planned.provider;
  if (existing !== undefined && !providerChanges && input.fallbackChannelIds === undefined) return;
  const fallbacks = await transaction.run(findChannels, [planned.fallback_channel_ids]);
  const field = input.fallbackChannelIds === undefined ? 'provider' : 'fallbackChannelIds';
  const mixed = fallbacks.find((fallback) => mixesSandboxWithRealMoney(planned, fallback));
  if (mixed !== undefined) throw mixedFallback(field, `channel ${mixed.id}, its fallback,`, planned);
  if (!providerChanges) return;
  const channelsFallingBack = await transaction.run(findChannelsFallingBackOn, [existing.id]);
  // The refusal names no channel: other tenants' channels may fall back on a channel of the platform.
  if (channelsFallingBack.some((channel) => mixesSandboxWithRealMoney(planned, channel))) {
    throw mixedFallback('provider', 'a channel that falls back on it', planned);
  }
}

function mixedFallback(field: string, other: string, { provider }: PlannedChannel): Refusal {
  const kinds = provider === 'sandbox' ? ['the sandbox', 'real money'] : ['real money', 'the sandbox'];
  const message = `This channel would use ${kinds[0]} and ${other} ${kinds[1]}: one must not fall back on the other.`;
  return new Refusal('fallback_mixes_sandbox', message, { field });
}

function sealedOrNull(
  plain: string | undefined,
  seal: ChannelDeps['seal'],
  tenantId: number,
  id: number,
  name: SecretName,
): Buffer | null {
  return plain === undefined || plain === '' ? null : seal(plain, secretPlace(tenantId, id, name));
}
