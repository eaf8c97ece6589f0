import type { Bench, Line } from '../../bench.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave, median, type Sample } from '../../rounds.ts';
import { Service } from '../../service.ts';
import { openShop, type Shop } from '../../shop.ts';

const seconds = 3;
const customers = 1_000;
const renewalDeadlineMs = 10 * 60_000;

/** Not part of a complete run, because it takes more than a minute. */
export const renewals = (bench: Bench) => measureRenewals(bench, 'renewals', 100_000, 1);

/** A tenth of the subscriptions, in every complete run. */
export const someRenewals = (bench: Bench) => measureRenewals(bench, 'some-renewals', 10_000, 2);

/**
 * Compares renewals per second with creates per second. All subscriptions fall due at the same time; each renewal
 * writes a period, a numbered invoice, an event and a payment on a channel without a provider. PostgreSQL counts the
 * statements.
 */
async function measureRenewals(
  bench: Bench,
  measurement: string,
  subscriptions: number,
  rounds: number,
): Promise<Line[]> {
  const shop = await openCountingShop();
  const { service, merchant, channelId } = shop;
  const statements: number[] = [];
  const { series, ratios, otherCpus } = await interleave(rounds, [
    { name: 'renewals', run: () => renewAll(shop, subscriptions, (count) => statements.push(count)) },
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
      comment: `${perThousand.toFixed(0)} statements for 1,000 renewals; ${cpuComment(series, otherCpus)}`,
    },
  ];
}

/** A separate service whose PostgreSQL counts statements. The library for that loads only when PostgreSQL starts. */
async function openCountingShop(): Promise<Shop> {
  const { service, merchant, channelId } = await openShop();
  await service.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await service.stop({ keepData: true });
  const counting = await Service.start(service.dataDir);
  await counting.query('create extension pg_stat_statements');
  return { service: counting, merchant, channelId };
}

async function renewAll(
  { service, merchant, channelId }: Shop,
  subscriptions: number,
  onStatementCount: (count: number) => void,
): Promise<Sample> {
  await emptyBillingTables(service);
  await service.query(insertSubscriptions, [merchant.tenantId, channelId, merchant.userId, customers, subscriptions]);
  for (const table of ['customer', 'subscription', 'subscription_period'])
    await service.query(`vacuum analyze ${table}`);
  await service.query('checkpoint');
  await service.waitUntilIdle();
  await service.query('select pg_stat_statements_reset()');
  const before = service.cpu();
  const startedAt = performance.now();
  await service.query('update subscription set due_at = period_end');
  await waitUntilNothingIsDue(service);
  const value = subscriptions / ((performance.now() - startedAt) / 1000);
  const after = service.cpu();
  const [{ run } = { run: 0 }] = await service.query<{ run: number }>(countStatements);
  onStatementCount(run);
  const [{ paid } = { paid: 0 }] = await service.query<{ paid: number }>(
    'select count(*)::int as paid from transaction',
  );
  if (paid !== subscriptions) throw new Error(`${paid} payments were created for ${subscriptions} renewals.`);
  return {
    value,
    cpu: {
      nodeUs: (after.nodeUs - before.nodeUs) / subscriptions,
      postgresUs: (after.postgresUs - before.postgresUs) / subscriptions,
    },
  };
}

/** Locks the tables in the order in which idle workers read them, which prevents a deadlock. */
async function emptyBillingTables(service: Service): Promise<void> {
  await service.empty();
  await service.query(
    `truncate subscription, invoice_collection, subscription_line, subscription_period, plan, customer, invoice,
              invoice_line, invoice_payment, invoice_counter`,
  );
}

/**
 * Inserts monthly subscriptions whose trial has just ended, not due yet.
 * Parameters: tenant, channel, user, number of customers, number of subscriptions.
 */
const insertSubscriptions = `
  with trial as (
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
    select $1, payer.id, gold.id, 1, 3100, 'USD', 'UTC', $3::bigint, 0, 'TRIALING', ends, 0, ends - interval '1 day',
        ends,
           ends, ends - interval '1 day', ends - interval '1 day'
      from gold cross join trial cross join payer cross join generate_series(1, $5::int / $4::int)
    returning tenant_id, id, period_start, period_end
  )
  insert into subscription_period (tenant_id, subscription_id, start_at, end_at, kind)
  select tenant_id, id, period_start, period_end, 'TRIAL' from made`;

async function waitUntilNothingIsDue(service: Service): Promise<void> {
  const deadline = performance.now() + renewalDeadlineMs;
  for (;;) {
    const [row] = await service.query<{ any_due: boolean }>(
      `select exists (select 1 from subscription where clock_id = 0 and due_at <= now())
           or exists (select 1 from invoice_collection where clock_id = 0 and due_at <= now()) as any_due`,
    );
    if (row?.any_due !== true) return;
    if (performance.now() > deadline) throw new Error('The subscriptions were not renewed within ten minutes.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Statements that returned or wrote rows, and transaction control. Excludes polls without due work and the bench. */
const countStatements = `
  select coalesce(sum(calls), 0)::int as run
    from pg_stat_statements
   where (rows > 0 or query ~* '^(begin|commit|discard|set) ?') and query !~ 'any_due|period_end$|pg_stat_statements'`;
