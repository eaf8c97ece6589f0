import type { Bench, Line } from '../bench.ts';
import { cpuRemark, perSecond } from '../format.ts';
import { createRequests } from '../requests.ts';
import { interleave, type Sample } from '../rounds.ts';
import type { Merchant, Service } from '../service.ts';

const rounds = 2;
const seconds = 3;
const subscriptions = 100_000;
const customers = 1_000;
const renewedWithinMs = 10 * 60_000;

/**
 * Subscriptions a second from due to renewed: 100,000 that fall due at one moment, each with its period written, its invoice
 * raised and numbered, its event told and its payment opened, on a channel without a provider. Against creates alone, whose
 * row is one of those that a renewal writes.
 */
export async function renewals(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const invoicing: number[] = [];
  const { series, ratios, foreignCpus } = await interleave(rounds, [
    { name: 'renewals', run: () => renewed(service, merchant, channelId, (rate) => invoicing.push(rate)) },
    {
      name: 'creates',
      run: () =>
        bench.rate({ port: service.port, requests: createRequests(merchant.key, channelId), seconds }, () =>
          service.cpu(),
        ),
    },
  ]);
  await emptyAll(service);
  const median = invoicing.toSorted((a, b) => a - b)[invoicing.length >> 1];
  return [
    {
      measurement: 'renewals',
      what: '100,000 due subscriptions invoiced and their payments opened ÷ creates',
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      remark: `invoiced alone ${perSecond(median)}; ${cpuRemark(series, foreignCpus)}`,
    },
  ];
}

async function renewed(
  service: Service,
  merchant: Merchant,
  channelId: number,
  tellInvoicing: (rate: number) => void,
): Promise<Sample> {
  await emptyAll(service);
  await service.query(insertSubscriptions, [merchant.tenantId, channelId, merchant.userId, customers, subscriptions]);
  for (const table of ['customer', 'subscription', 'subscription_period'])
    await service.query(`vacuum analyze ${table}`);
  await service.query('checkpoint');
  await service.settled();
  const before = service.cpu();
  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000;
  await service.query('update subscription set due_at = period_end');
  await nothingIsDue(service, 'subscription');
  tellInvoicing(subscriptions / elapsedSeconds());
  await nothingIsDue(service, 'subscription_charge');
  const value = subscriptions / elapsedSeconds();
  const after = service.cpu();
  const [{ paid } = { paid: 0 }] = await service.query<{ paid: number }>(
    'select count(*)::int as paid from transaction',
  );
  if (paid !== subscriptions) throw new Error(`${paid} payments were opened for ${subscriptions} renewals.`);
  return {
    value,
    cpu: {
      nodeUs: (after.nodeUs - before.nodeUs) / subscriptions,
      postgresUs: (after.postgresUs - before.postgresUs) / subscriptions,
    },
  };
}

async function nothingIsDue(service: Service, table: string): Promise<void> {
  const deadline = performance.now() + renewedWithinMs;
  for (;;) {
    const [row] = await service.query<{ due: boolean }>(
      `select exists (select 1 from ${table} where clock_id = 0 and due_at <= now()) as due`,
    );
    if (row?.due !== true) return;
    if (performance.now() > deadline) throw new Error('The subscriptions were not renewed within ten minutes.');
    await new Promise((passed) => setTimeout(passed, 50));
  }
}

async function emptyAll(service: Service): Promise<void> {
  await service.empty();
  await service.query(
    `truncate subscription_charge, subscription_line, subscription_period, subscription, plan, invoice_payment,
              invoice_line, invoice_counter, invoice, customer`,
  );
}

/** Tenant, channel, user, how many customers, how many subscriptions: monthly ones whose trial has just ended, not due yet. */
const insertSubscriptions = `
  with moment as (
    select date_trunc('second', now()) - interval '1 minute' as ends
  ), payer as (
    insert into customer (tenant_id, name, default_channel_id, created_at)
    select $1::bigint, 'Customer ' || n, $2::bigint, now() from generate_series(1, $4::int) as n
    returning id
  ), gold as (
    insert into plan (tenant_id, name, currency, amount, interval_unit, interval_count, trial_days, state, created_at)
    values ($1, 'Gold', 'USD', 3100, 'month', 1, 0, true, now())
    returning id
  ), made as (
    insert into subscription (tenant_id, customer_id, plan_id, quantity, unit_amount, currency, time_zone, user_id,
                              clock_id, state, anchor_at, next_number, period_start, period_end, trial_end, created_at,
                              updated_at)
    select $1, payer.id, gold.id, 1, 3100, 'USD', 'UTC', $3::bigint, 0, 'TRIALING', ends, 0, ends - interval '1 day', ends,
           ends, ends - interval '1 day', ends - interval '1 day'
      from gold cross join moment cross join payer cross join generate_series(1, $5::int / $4::int)
    returning tenant_id, id, period_start, period_end
  )
  insert into subscription_period (tenant_id, subscription_id, start_at, end_at, kind)
  select tenant_id, id, period_start, period_end, 'TRIAL' from made`;
