import type { Static } from 'typebox';
import { invalid, Refusal } from '../../../core/errors.ts';
import { livemodeOfNew, requireSameMode, requireUnchangedMode } from '../../../core/livemode.ts';
import { changedMetadata, metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
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
import { paymentMethodAssociatedData } from './payment-method.ts';
import { readCustomer } from './read.ts';
import { type CustomerRecord, customerEvent, recordOf } from './record.ts';
import { customerInput, type requiredOfNewCustomer } from './schema.ts';
import { type CustomerRow, insertCustomer, lockCustomer, setPaymentMethod, updateCustomer } from './statements.ts';

type CustomerInput = Static<typeof customerInput>;
type NewCustomer = Creation<CustomerInput, typeof requiredOfNewCustomer>;

/** Creates a customer, or updates the one with this `id`; an update keeps the fields that are left out. */
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
    throw new Refusal('external_id_taken', `Another customer already has the externalId ${input.externalId}.`, {
      field: 'externalId',
    });
  }
}

type Work = (transaction: Queryable) => Promise<SavedRow<CustomerRow>>;

async function creation(input: NewCustomer, caller: Principal, app: BillingApp): Promise<Work> {
  const principal = await app.channels.actOn(input.defaultChannelId, caller);
  if (input.metadataReplace !== undefined) throw invalid('metadataReplace', 'metadataReplace needs the id to update.');
  const channel = await usableChannel(input.defaultChannelId, principal.tenantId, app.channels);
  const clock = await findTestClock(input.clockId, principal, app);
  const livemode = livemodeOfNew(
    principal,
    input.livemode ?? channel?.livemode ?? clock?.livemode,
    channel,
    'defaultChannelId',
  );
  if (clock !== undefined) requireSameMode(livemode, clock.livemode, 'clockId', `clock ${clock.id}`);
  const { paymentMethod } = input;
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
  ];
  return async (transaction) => {
    const [row] = (await transaction.run(insertCustomer, values)) as [CustomerRow];
    const after = paymentMethod ? await storePaymentMethod(transaction, row, paymentMethod, app) : row;
    await appendEvent(transaction, customerEvent('customer.created', after, app.generateUuid()));
    return { before: undefined, after };
  };
}

/** Runs after the insert, because the token is sealed to the customer's id. */
async function storePaymentMethod(
  transaction: Queryable,
  { tenant_id, id }: CustomerRow,
  paymentMethod: string,
  { seal }: BillingApp,
): Promise<CustomerRow> {
  const sealed = seal(paymentMethod, paymentMethodAssociatedData(tenant_id, id));
  const [saved] = (await transaction.run(setPaymentMethod, [tenant_id, id, sealed])) as [CustomerRow];
  return saved;
}

async function change(
  id: number,
  input: CustomerInput,
  principal: Principal,
  { database, channels, clock, generateUuid, seal }: BillingApp,
): Promise<Work> {
  const existing = await readCustomer(database, id, principal);
  requireUnchangedMode(input.livemode, existing.livemode);
  const channel = await usableChannel(input.defaultChannelId, existing.tenant_id, channels);
  if (channel !== undefined) {
    requireSameMode(existing.livemode, channel.livemode, 'defaultChannelId', `channel ${channel.id}`);
  }
  if (input.clockId !== undefined && input.clockId !== existing.clock_id) {
    throw invalid('clockId', 'clockId stays as it was when the customer was created.');
  }
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
    ...given(input.paymentMethod && seal(input.paymentMethod, paymentMethodAssociatedData(existing.tenant_id, id))),
    clock(),
  ];
  return async (transaction) => {
    const [before] = (await transaction.run(lockCustomer, [existing.tenant_id, id])) as [CustomerRow];
    const [after] = (await transaction.run(updateCustomer, valuesAfter(before))) as [CustomerRow];
    await appendEvent(transaction, customerEvent('customer.updated', after, generateUuid()));
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
    throw new Refusal('record_not_found', `There is no clock ${clockId}.`, { field: 'clockId' });
  }
  return row;
}
