import type { Static } from 'typebox';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { livemodeMismatch, livemodeOfNew, requireSameMode } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Creation } from '../../../platform/http/shapes.ts';
import { violatedConstraint } from '../../../platform/postgres/connection/failures.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { secretsGiven } from '../../identity/audit/changes.ts';
import { type SavedRow, type SaveRequest, save } from '../../identity/audit/save.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import { appendEvent, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import type { PaymentsApp } from '../app.ts';
import { countOpenOfChannel } from '../operation-queue/statements.ts';
import { type ProviderName, sandboxDisabled } from '../providers/directory.ts';
import { requireCaptureAbility } from './capture.ts';
import { recordOf } from './record.ts';
import { currenciesOf, livemodeOfApiKey, mayChange, mayUse } from './rules.ts';
import { channelInput, type requiredOfNewChannel } from './schema.ts';
import { type SecretName, secretAssociatedData } from './secrets.ts';
import {
  type ChannelRow,
  countChannels,
  findChannel,
  findChannels,
  insertChannel,
  lockChannels,
  nextChannelId,
  updateChannel,
} from './statements.ts';

type ChannelInput = Static<typeof channelInput>;
type WholeChannel = Creation<ChannelInput, typeof requiredOfNewChannel>;

/** Creates a channel, or updates the one with `id`; fields left out keep their value. Returns the saved channel. */
export async function modifyChannel(
  { body: input, principal: caller, idempotencyKey }: Call<ChannelInput>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<ChannelRow>> {
  const principal = await actFor(caller, input.tenantId, app.database);
  const secrets = secretsGiven(channelInput, input);
  if (Object.keys(secrets).length > 0) requireStepUp(principal, app.clock(), 'Setting the secrets of a channel');
  const request: SaveRequest<ChannelRow, ChannelRow> = {
    type: 'channel',
    path: '/api/channel/modify',
    principal,
    idempotencyKey,
    input: { ...input, ...secrets, mode: principal.livemode ?? null },
    secrets,
    recordOf,
    answerOf: (row) => row,
  };
  return refuseTakenCode(input.code, () =>
    save(app, request, async (transaction) => {
      await transaction.run(lockChannels);
      return input.id === undefined
        ? create(input as WholeChannel, principal, transaction, app)
        : update(input.id, input, principal, transaction, app);
    }),
  );
}

async function refuseTakenCode<Result>(code: string | undefined, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) !== 'channel_tenant_id_code_key') throw error;
    throw new Refusal('channel_code_taken', rule('channel_code_taken', { code: String(code) }), { field: 'code' });
  }
}

async function create(
  input: WholeChannel,
  principal: Principal,
  transaction: Queryable,
  { seal, clock, sandboxEnabled, maxChannels }: PaymentsApp,
): Promise<SavedRow<ChannelRow>> {
  const currencies = currenciesOf(input.currency);
  const { tenantId } = principal;
  if (input.provider === 'sandbox' && !sandboxEnabled) throw sandboxDisabled('provider');
  const livemode = livemodeOfNewChannel(input, principal);
  requireProviderOfMode(livemode, input, null);
  if (input.capture !== undefined) requireCaptureAbility(input.provider ?? null, input.capture);
  await requireFallbacks(input, { tenantId, livemode }, transaction);
  requireStepUpForFallbacks([], input, principal, clock());
  await requireRoom(tenantId, maxChannels, transaction);
  const [{ id }] = (await transaction.run(nextChannelId)) as [{ id: number }];
  const sealed = (name: SecretName) => sealedOrNull(input[name], seal, tenantId, id, name);
  const [after] = (await transaction.run(insertChannel, [
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
    livemode,
    input.statementDescriptor ?? null,
    input.capture ?? null,
  ])) as [ChannelRow];
  return { before: undefined, after };
}

/** The channels are locked (`lockChannels`), so that parallel creates cannot exceed the limit. */
async function requireRoom(tenantId: number, limit: number, transaction: Queryable): Promise<void> {
  const [count] = await transaction.run(countChannels, [tenantId]);
  if ((count?.total ?? 0) < limit) return;
  throw new Refusal('channel_limit_reached', rule('channel_limit', { limit }));
}

async function update(
  id: number,
  input: ChannelInput,
  principal: Principal,
  transaction: Queryable,
  { seal, clock, generateUuid, sandboxEnabled }: PaymentsApp,
): Promise<SavedRow<ChannelRow>> {
  const [existing] = await transaction.run(findChannel, [id]);
  if (existing === undefined || !mayChange(existing, principal)) throw notFound('channel', id);
  const { name, code, type, currency, country, state, livemode } = recordOf(existing);
  const whole: WholeChannel = { name, code, type, currency, country, state, ...input };
  if (input.livemode !== undefined && input.livemode !== livemode) {
    throw livemodeMismatch('livemode', rule('channel_mode_stays'));
  }
  if (input.provider === 'sandbox' && existing.provider !== 'sandbox' && !sandboxEnabled) {
    throw sandboxDisabled('provider');
  }
  await requireNothingUnderWay(input, existing, transaction);
  requireProviderOfMode(livemode, input, existing.provider);
  const provider = input.provider === undefined ? existing.provider : input.provider;
  if (input.capture !== undefined) requireCaptureAbility(provider, input.capture);
  await requireFallbacks(input, { tenantId: existing.tenant_id, livemode }, transaction);
  requireStepUpForFallbacks(existing.fallback_channel_ids, input, principal, clock());
  const secret = (name: SecretName) => [
    input[name] !== undefined,
    sealedOrNull(input[name], seal, existing.tenant_id, id, name),
  ];
  const [after] = (await transaction.run(updateChannel, [
    existing.tenant_id,
    id,
    whole.name,
    whole.code,
    whole.type,
    currenciesOf(whole.currency, existing.currencies),
    whole.country,
    whole.state,
    ...secret('apiKey'),
    ...secret('apiSecret'),
    ...secret('webhookSecret'),
    input.provider !== undefined,
    input.provider ?? null,
    input.fallbackChannelIds ?? null,
    new Date(clock()),
    input.statementDescriptor !== undefined,
    input.statementDescriptor ?? null,
    input.capture ?? null,
  ])) as [ChannelRow];
  if (existing.state && !after.state) await appendDisabledEvent(transaction, after, generateUuid());
  return { before: existing, after };
}

/** Under way at a provider, and then refunded there, is only what the channel's credentials belong to. */
async function requireNothingUnderWay(
  { provider }: ChannelInput,
  existing: ChannelRow,
  transaction: Queryable,
): Promise<void> {
  if (provider === undefined || existing.provider === null || provider === existing.provider) return;
  const [{ count }] = (await transaction.run(countOpenOfChannel, [existing.id])) as [{ count: number }];
  if (count === 0) return;
  throw new Refusal('channel_in_use', rule('channel_in_use', { open: count, provider: existing.provider }), {
    field: 'provider',
  });
}

async function appendDisabledEvent(transaction: Queryable, row: ChannelRow, id: string): Promise<void> {
  const about = { tenantId: row.tenant_id, livemode: row.livemode, objectId: `chn_${row.id}`, object: recordOf(row) };
  await appendEvent(transaction, eventDraft('channel.disabled', about, id));
}

/**
 * Every fallback must be another channel, one that the tenant may use, and of the mode of the channel: a payment never
 * falls back from live to test, or the other way.
 */
async function requireFallbacks(
  { id, fallbackChannelIds = [] }: ChannelInput,
  { tenantId, livemode }: { tenantId: number; livemode: boolean },
  transaction: Queryable,
): Promise<void> {
  if (fallbackChannelIds.length === 0) return;
  const found = new Map((await transaction.run(findChannels, [fallbackChannelIds])).map((row) => [row.id, row]));
  for (const fallbackId of fallbackChannelIds) {
    if (fallbackId === id) throw invalid('fallbackChannelIds', rule('fallback_on_itself'));
    const fallback = found.get(fallbackId);
    if (fallback === undefined || !mayUse(fallback, tenantId)) {
      throw notFound('channel', fallbackId, 'fallbackChannelIds');
    }
    requireSameMode(livemode, fallback.livemode, 'fallbackChannelIds', { noun: 'channel', id: fallbackId });
  }
}

/** Fallbacks decide which account the money of payers goes to, as the secrets of a channel do. */
function requireStepUpForFallbacks(
  before: readonly number[],
  { fallbackChannelIds }: ChannelInput,
  principal: Principal,
  nowMs: number,
): void {
  if (fallbackChannelIds === undefined || fallbackChannelIds.join() === before.join()) return;
  requireStepUp(principal, nowMs, 'Changing the fallbacks of a channel');
}

/** The mode of a new channel: test with the sandbox, otherwise live unless the caller names a mode. */
function livemodeOfNewChannel({ provider, livemode }: ChannelInput, principal: Principal): boolean {
  return livemodeOfNew(principal, livemode ?? (provider === 'sandbox' ? false : undefined));
}

/**
 * Refuses what takes payments of the other mode: the sandbox and keys of a provider's test mode on a live channel,
 * whose payments would be booked as revenue, and another provider without test credentials on a test channel, because
 * it would take real money. A live channel that holds a test key already can be saved without naming a key, and
 * switched off.
 */
function requireProviderOfMode(livemode: boolean, input: ChannelInput, before: ProviderName | null): void {
  const provider = input.provider === undefined ? before : input.provider;
  if (provider === null) return;
  if (provider === 'sandbox') {
    if (!livemode) return;
    throw livemodeMismatch('provider', rule('sandbox_is_test'));
  }
  const keyLivemode = input.apiKey ? livemodeOfApiKey(input.apiKey) : undefined;
  if (livemode) {
    if (keyLivemode !== false) return;
    throw livemodeMismatch('apiKey', rule('test_key_at_live_channel', { provider }));
  }
  // A stored key was checked only for the provider of that time.
  const keepsKey = provider === before || input.id === undefined;
  if (input.apiKey ? keyLivemode === false : keepsKey) return;
  throw livemodeMismatch('apiKey', rule('live_key_at_test_channel', { provider }));
}

function sealedOrNull(
  plain: string | undefined,
  seal: PaymentsApp['seal'],
  tenantId: number,
  id: number,
  name: SecretName,
): Buffer | null {
  return plain === undefined || plain === '' ? null : seal(plain, secretAssociatedData(tenantId, id, name));
}
