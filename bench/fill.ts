import type { Shop } from './shop.ts';

/** Payments cover a year, so that totals have as many days as after a year of operation. */
export const filledDays = 365;
const channels = 5;
const users = 4;
/** Large enough to be fast, small enough to limit the size of a transaction. */
const rowsPerStatement = 500_000;

/** The generated payments, with the values that list filters can use. */
export interface Filled {
  rows: number;
  channelIds: number[];
  userIds: number[];
}

/**
 * Generates a year of payments: evenly spread over the days until now, over five channels and four users, three
 * quarters SUCCESS and a twentieth in each other status. Ids are UUIDv7 of the creation time, like those of the
 * service. Events have a short body, but their index has its full size. Totals come from the same cube that the service
 * uses for its rollup. The shop must be empty.
 */
export async function fill(shop: Shop, rows: number): Promise<Filled> {
  const { service, merchant } = shop;
  const channelIds = [shop.channelId];
  for (let i = 1; i < channels; i++) channelIds.push(await service.createChannel(`filled-${i}-${rows}`));
  // The users need not exist: a payment keeps the id of a deleted user.
  const userIds = Array.from({ length: users }, (_, i) => merchant.userId + i);
  const startsAtMs = Date.now() - filledDays * 86_400_000;
  for (let from = 0; from < rows; from += rowsPerStatement) {
    const to = Math.min(rows, from + rowsPerStatement);
    await service.query(insertPayments, [
      merchant.tenantId,
      channelIds,
      userIds,
      from,
      to - 1,
      startsAtMs,
      (filledDays * 86_400_000) / rows,
    ]);
  }
  await service.query(insertTotals, [merchant.tenantId]);
  await service.query(insertBuckets, [merchant.tenantId]);
  for (const table of ['transaction', 'event', 'transaction_total']) await service.query(`vacuum analyze ${table}`);
  await service.query('checkpoint');
  await service.waitUntilIdle();
  return { rows, channelIds, userIds };
}

/** Parameters: tenant, channels, users, first and last row, time of the first payment in ms, ms between payments. */
const insertPayments = `
  with payment as (
    select number, floor($6::float8 + number * $7::float8)::bigint as ms,
           hashint8(number) & 2147483647 as dice, hashint8(number + 1000000007) & 2147483647 as second_dice
      from generate_series($4::bigint, $5::bigint) as number
  ), written as (
    insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, description, metadata,
                             created_at, updated_at)
    select $1::bigint,
           overlay(overlay(gen_random_uuid()::text placing left(lpad(to_hex(ms), 12, '0'), 8) || '-'
                           || right(lpad(to_hex(ms), 12, '0'), 4) || '-7' from 1 for 15)
                   placing to_hex(8 + (dice & 3)) from 20 for 1)::uuid,
           1000 + dice % 100000,
           case when dice % 5 = 0 then 'EUR' else 'USD' end,
           coalesce((array['PENDING', 'PROCESSING', 'FAILED', 'REFUNDED', 'CANCELLED'])[1 + second_dice % 20],
               'SUCCESS'),
           ($2::bigint[])[1 + dice / 7 % cardinality($2::bigint[])],
           ($3::bigint[])[1 + second_dice / 23 % cardinality($3::bigint[])],
           'Order ' || number || ', two items', json_build_object('order', number::text, 'source', 'shop'),
           to_timestamp(ms / 1000.0), to_timestamp(ms / 1000.0)
      from payment
     order by number
    returning tenant_id, id, created_at
  )
  insert into event (tenant_id, id, type, object_id, created_at, body)
  select tenant_id, id, 'transaction.created', 'txn_' || replace(id::text, '-', ''), created_at, '{}' from written`;

const insertTotals = `
  insert into transaction_total (tenant_id, channel_id, user_id, status, day, currency, count, amount)
  select tenant_id, coalesce(channel_id, 0), coalesce(user_id, 0), coalesce(status, '*'), day, currency,
         sum(count), sum(amount)
    from (
      select tenant_id, channel_id, user_id, status, (created_at at time zone 'UTC')::date as day, currency,
             count(*) as count, sum(amount) as amount
        from transaction
       where tenant_id = $1
       group by 1, 2, 3, 4, 5, 6
    ) as cell
   group by tenant_id, day, currency, cube (channel_id, user_id, status)`;

/** One bucket per day, whatever its number of payments. */
const insertBuckets = `
  insert into transaction_bucket (tenant_id, started_at, newest_second, count)
  select tenant_id, date_trunc('day', created_at, 'UTC'), date_trunc('second', max(created_at)), count(*)
    from transaction
   where tenant_id = $1
   group by 1, 2`;
