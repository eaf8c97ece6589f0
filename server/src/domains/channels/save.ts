import type { Static } from 'typebox';
import type { Database } from '../../platform/postgres/database.ts';
import { violatedConstraint } from '../../platform/postgres/failures.ts';
import type { Clock } from '../../vocabulary/clock.ts';
import { invalid, notFound, Refusal } from '../../vocabulary/errors.ts';
import type { Principal } from '../../vocabulary/principal.ts';
import { type SecretName, secretPlace } from './credentials.ts';
import type { ChannelDirectory } from './directory.ts';
import { currenciesOf, mayChange, mayUse } from './rules.ts';
import type { channelInput } from './schema.ts';
import { type ChannelRow, findChannel, insertChannel, nextChannelId, updateChannel } from './sql.ts';

export interface ChannelDeps {
  database: Database;
  directory: ChannelDirectory;
  /** Seals a secret to the place it is kept in. */
  seal: (plain: string, where: string) => Buffer;
  clock: Clock;
}

type ChannelInput = Static<typeof channelInput>;

/** Creates a channel, or updates the one named by `id`; the answer is what was saved. */
export async function saveChannel(input: ChannelInput, principal: Principal, deps: ChannelDeps): Promise<ChannelRow> {
  const currencies = currenciesOf(input.currency);
  const saved = await refusingTakenCode(input.code, () =>
    input.id === undefined
      ? create(input, currencies, principal, deps)
      : update(input.id, input, currencies, principal, deps),
  );
  await deps.directory.changed(deps.database, saved.id);
  return saved;
}

/** Every channel to fall back on must be one that payments of this channel could use, and another one. */
async function demandFallbacks(
  { id, fallbackChannelIds = [] }: ChannelInput,
  tenantId: number,
  directory: ChannelDirectory,
): Promise<void> {
  for (const fallbackId of fallbackChannelIds) {
    if (fallbackId === id) throw invalid('fallbackChannelIds', 'A channel cannot fall back on itself.');
    const fallback = await directory.find(fallbackId);
    if (fallback === undefined || !mayUse(fallback, tenantId)) {
      throw new Refusal('record_not_found', `There is no channel ${fallbackId}.`, { field: 'fallbackChannelIds' });
    }
  }
}

async function create(
  input: ChannelInput,
  currencies: string[],
  { tenantId }: Principal,
  { database, directory, seal, clock }: ChannelDeps,
): Promise<ChannelRow> {
  await demandFallbacks(input, tenantId, directory);
  const [{ id }] = (await database.run(nextChannelId)) as [{ id: number }];
  const sealed = (name: SecretName) => sealedOrNull(input[name], seal, tenantId, id, name);
  const [row] = await database.run(insertChannel, [
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
  return row as ChannelRow;
}

async function update(
  id: number,
  input: ChannelInput,
  currencies: string[],
  principal: Principal,
  { database, directory, seal, clock }: ChannelDeps,
): Promise<ChannelRow> {
  const [existing] = await database.run(findChannel, [id]);
  if (existing === undefined || !mayChange(existing, principal)) throw notFound('channel', id);
  await demandFallbacks(input, existing.tenant_id, directory);
  const secret = (name: SecretName) => [
    input[name] !== undefined,
    sealedOrNull(input[name], seal, existing.tenant_id, id, name),
  ];
  const [row] = await database.run(updateChannel, [
    existing.tenant_id,
    id,
    input.name,
    input.code,
    input.type,
    currencies,
    input.country,
    input.state,
    ...secret('apiKey'),
    ...secret('apiSecret'),
    ...secret('webhookSecret'),
    input.provider !== undefined,
    input.provider ?? null,
    input.fallbackChannelIds ?? null,
    new Date(clock()),
  ]);
  return row as ChannelRow;
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

async function refusingTakenCode<Result>(code: string, save: () => Promise<Result>): Promise<Result> {
  try {
    return await save();
  } catch (error) {
    if (violatedConstraint(error) !== 'channel_tenant_id_code_key') throw error;
    throw new Refusal('channel_code_taken', `Another channel already has the code ${code}.`, { field: 'code' });
  }
}
