import type { Static } from 'typebox';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { livemodeOfNew, requireSameMode, requireUnchangedMode } from '../../../core/livemode.ts';
import { changedMetadata, metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Creation } from '../../../platform/http/shapes.ts';
import { violatedConstraint } from '../../../platform/postgres/connection/failures.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { secretsGiven } from '../../identity/audit/changes.ts';
import { type SavedRow, type SaveRequest, save } from '../../identity/audit/save.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import type { ChannelRow } from '../../payments/channels/statements.ts';
import { appendEvent } from '../../webhooks/events/append-events.cte.ts';
import type { BillingApp } from '../app.ts';
import { readClock } from '../test-clocks/read.ts';
import { requireTestClocksOffered } from '../test-clocks/rules.ts';
import type { ClockRow } from '../test-clocks/statements.ts';
import { readCustomer } from './read.ts';
import { type CustomerRecord, customerEvent, recordOf } from './record.ts';
import { customerInput, type requiredOfNewCustomer } from './schema.ts';
import { type CustomerRow, insertCustomer, lockCustomer, updateCustomer } from './statements.ts';
import { detachDefault, setUpToken, tokenIn } from './token.ts';

type CustomerInput = Static<typeof customerInput>;
type NewCustomer = Creation<CustomerInput, typeof requiredOfNewCustomer>;

/**
 * Creates a customer, or updates the one with this `id`; an update keeps the fields that are left out. A token becomes
 * a payment method, which a worker sets up at the provider of the default channel; null detaches the default method.
 */
export async function modifyCustomer(
  { body: input, principal: caller, idempotencyKey }: Call<CustomerInput>,
  app: BillingApp,
): Promise<IdempotentAnswer<CustomerRecord>> {
  const principal = await actFor(caller, input.tenantId, app.database);
  const secrets = secretsGiven(customerInput, input);
  const request: SaveRequest<CustomerRow, CustomerRecord> = {
    type: 'customer',
    path: '/api/customer/modify',
    principal,
    idempotencyKey,
    input: { ...input, ...secrets, mode: principal.livemode ?? null },
    secrets,
    recordOf,
    answerOf: recordOf,
  };
  try {
    const work =
      input.id === undefined
        ? await creation(input as NewCustomer, principal, app)
        : await change(input.id, input, principal, app);
    return await save(app, request, work);
  } catch (error) {
    if (violatedConstraint(error) !== 'customer_by_external_id') throw error;
    throw new Refusal('external_id_taken', rule('external_id_taken', { externalId: String(input.externalId) }), {
      field: 'externalId',
    });
  }
}

type Work = (transaction: Queryable) => Promise<SavedRow<CustomerRow>>;

async function creation(input: NewCustomer, caller: Principal, app: BillingApp): Promise<Work> {
  const principal = await app.channels.actOn(input.defaultChannelId, caller);
  if (input.metadataReplace !== undefined) throw invalid('metadataReplace', rule('needs_id'));
  const channel = await usableChannel(input.defaultChannelId, principal.tenantId, app.channels);
  const clock = await findTestClock(input.clockId, principal, app);
  const livemode = livemodeOfNew(
    principal,
    input.livemode ?? channel?.livemode ?? clock?.livemode,
    channel,
    'defaultChannelId',
  );
  if (clock !== undefined) requireSameMode(livemode, clock.livemode, 'clockId', { noun: 'clock', id: clock.id });
  const token = await tokenIn(input, channel, app);
  const values = [
    principal.tenantId,
    input.name,
    input.email ?? null,
    input.phone ?? null,
    input.address ? JSON.stringify(input.address) : null,
    input.externalId ?? null,
    input.metadata ? metadataJson(input.metadata) : null,
    input.defaultChannelId ?? null,
    clock?.id ?? null,
    app.clock(),
    livemode,
    input.dueDays ?? null,
  ];
  return async (transaction) => {
    const [row] = (await transaction.run(insertCustomer, values)) as [CustomerRow];
    await appendEvent(transaction, customerEvent('customer.created', row, app.generateUuid()));
    if (token !== undefined) await setUpToken(transaction, row, token, principal, app);
    return { before: undefined, after: row };
  };
}

async function change(id: number, input: CustomerInput, principal: Principal, app: BillingApp): Promise<Work> {
  const { database, channels, clock, generateUuid } = app;
  const existing = await readCustomer(database, id, principal);
  requireUnchangedMode(input.livemode, existing.livemode);
  const channel = await usableChannel(input.defaultChannelId, existing.tenant_id, channels);
  if (channel !== undefined) {
    requireSameMode(existing.livemode, channel.livemode, 'defaultChannelId', { noun: 'channel', id: channel.id });
  }
  if (input.clockId !== undefined && input.clockId !== existing.clock_id) {
    throw invalid('clockId', rule('clock_fixed'));
  }
  const isChannelGiven = input.defaultChannelId !== undefined;
  const channelOfToken =
    input.paymentMethod == null || isChannelGiven
      ? channel
      : await usableChannel(existing.default_channel_id, existing.tenant_id, channels);
  const token = await tokenIn(input, channelOfToken, app);
  const given = (value: unknown) => [value !== undefined, value ?? null];
  const valuesAfter = (before: CustomerRow) => [
    existing.tenant_id,
    id,
    input.name ?? before.name,
    ...given(input.email),
    ...given(input.phone),
    ...given(input.address && JSON.stringify(input.address)),
    ...given(input.externalId),
    ...given(metadataJson(changedMetadata(before.metadata, input)) ?? undefined),
    ...given(input.defaultChannelId),
    ...given(input.dueDays),
    clock(),
  ];
  return async (transaction) => {
    const [before] = (await transaction.run(lockCustomer, [existing.tenant_id, id])) as [CustomerRow];
    const [after] = (await transaction.run(updateCustomer, valuesAfter(before))) as [CustomerRow];
    if (input.paymentMethod === null && (await detachDefault(transaction, after, principal, app))) {
      return { before, after: { ...after, default_method_id: null } };
    }
    await appendEvent(transaction, customerEvent('customer.updated', after, generateUuid()));
    if (token !== undefined) await setUpToken(transaction, after, token, principal, app);
    return { before, after };
  };
}

async function usableChannel(
  channelId: number | null | undefined,
  tenantId: number,
  channels: ChannelDirectory,
): Promise<ChannelRow | undefined> {
  return channelId == null ? undefined : channels.findUsable(channelId, tenantId, 'defaultChannelId');
}

async function findTestClock(
  clockId: number | null | undefined,
  principal: Principal,
  { database, clocksOffered }: BillingApp,
): Promise<ClockRow | undefined> {
  if (clockId === undefined || clockId === null) return undefined;
  requireTestClocksOffered({ clocksOffered }, 'clockId');
  const row = await readClock(clockId, principal, database, 'clockId');
  if (row.tenant_id !== principal.tenantId) {
    throw notFound('clock', clockId, 'clockId');
  }
  return row;
}
