import { type Bench, type Line, openShop, type Shop } from '../bench.ts';
import { cpuRemark, perSecond } from '../format.ts';
import { createRequests } from '../requests.ts';
import { interleave, median, type Sample } from '../rounds.ts';
import { Service } from '../service.ts';

const seconds = 3;
const customers = 1_000;
const renewedWithinMs = 10 * 60_000;

/** By name alone: a minute and more. */
export const renewals = (bench: Bench) => measured(bench, 'renewals', 100_000, 1);

/** A tenth of them, in every whole run. */
export const someRenewals = (bench: Bench) => measured(bench, 'some-renewals', 10_000, 2);

/**
 * Subscriptions a second from due to renewed: all fall due at one moment, each with its period written, its invoice raised
 * and numbered, its event told and its payment opened, on a channel without a provider. Against creates alone, whose row is
 * one of those that a renewal writes. PostgreSQL counts the statements.
 */
async function measured(bench: Bench, measurement: string, subscriptions: number, rounds: number): Promise<Line[]> {
  const shop = await countingShop();
  const { service, merchant, channelId } = shop;
  const statements: number[] = [];
  const { series, ratios, foreignCpus } = await interleave(rounds, [
    { name: 'renewals', run: () => renewed(shop, subscriptions, (count) => statements.push(count)) },
    {
      name: 'creates',
      run: () =>
        bench.rate({ port: service.port, requests: createRequests(merchant.key, channelId), seconds }, () =>
          service.cpu(),
        ),
    },
  ]);
  await service.stop();
  const perThousand = (median(statements) * 1000) / subscriptions;
  return [
    {
      measurement,
      what: `${subscriptions.toLocaleString('en-US')} due subscriptions invoiced and their payments opened ÷ creates`,
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      remark: `${perThousand.toFixed(0)} statements for 1,000 renewals; ${cpuRemark(series, foreignCpus)}`,
    },
  ];
}

/** A service of its own, whose PostgreSQL counts statements: that takes a library which is loaded when it starts. */
async function countingShop(): Promise<Shop> {
  const { service, merchant, channelId } = await openShop();
  await service.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await service.stop({ keepData: true });
  const counting = await Service.start(service.dataDir);
  await counting.query('create extension pg_stat_statements');
  return { service: counting, merchant, channelId };
}

async function renewed(
  { service, merchant, channelId }: Shop,
  subscriptions: number,
  tellStatements: (count: number) => void,
): Promise<Sample> {
  await emptyAll(service);
  await service.query(insertSubscriptions, [merchant.tenantId, channelId, merchant.userId, customers, subscriptions]);
  for (const table of ['customer', 'subscription', 'subscription_period'])
    await service.query(`vacuum analyze ${table}`);
  await service.query('checkpoint');
  await service.settled();
  await service.query('select pg_stat_statements_reset()');
  const before = service.cpu();
  const startedAt = performance.now();
  await service.query('update subscription set due_at = period_end');
  await nothingIsDue(service);
  const value = subscriptions / ((performance.now() - startedAt) / 1000);
  const after = service.cpu();
  const [{ run } = { run: 0 }] = await service.query<{ run: number }>(countStatements);
  tellStatements(run);
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

/** All that found or wrote a row, and what begins and ends transactions; not the looks of workers that found nothing, nor ours. */
const countStatements = `
  select coalesce(sum(calls), 0)::int as run
    from pg_stat_statements
   where (rows > 0 or query ~* '^(begin|commit|discard|set) ?') and query !~ 'any_due|period_end$|pg_stat_statements'`;

async function nothingIsDue(service: Service): Promise<void> {
  const deadline = performance.now() + renewedWithinMs;
  for (;;) {
    const [row] = await service.query<{ any_due: boolean }>(
      `select exists (select 1 from subscription where clock_id = 0 and due_at <= now())
           or exists (select 1 from subscription_charge where clock_id = 0 and due_at <= now()) as any_due`,
    );
    if (row?.any_due !== true) return;
    if (performance.now() > deadline) throw new Error('The subscriptions were not renewed within ten minutes.');
    await new Promise((passed) => setTimeout(passed, 50));
  }
}

/** In the order in which idle workers look at these tables, so that neither waits for the other. */
async function emptyAll(service: Service): Promise<void> {
  await service.empty();
  await service.query(
    `truncate subscription, subscription_charge, subscription_line, subscription_period, plan, customer, invoice,
              invoice_line, invoice_payment, invoice_counter`,
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
