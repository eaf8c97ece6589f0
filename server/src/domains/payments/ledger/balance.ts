import type { Static } from 'typebox';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { type Account, accounts } from './accounts.ts';
import type { accountBalance, balanceQuery } from './schema.ts';
import { readBalances } from './statements.ts';

export type AccountBalance = Static<typeof accountBalance>;

/** Every account of every currency that anything was booked in, by currency; of a platform administrator, of all tenants in sum. */
export async function balancesOf(
  database: Queryable,
  { currency, date }: Static<typeof balanceQuery>,
  principal: Principal,
): Promise<AccountBalance[]> {
  const rows = await database.run(readBalances, [await tenantsSeen(database, principal), currency, date]);
  const booked = Map.groupBy(rows, (row) => row.currency);
  return [...booked.keys()].sort().flatMap((code) =>
    (Object.keys(accounts) as Account[]).map((account): AccountBalance => {
      const row = booked.get(code)?.find((one) => one.account === account);
      return row ?? { currency: code, account, debit: '0', credit: '0', balance: '0' };
    }),
  );
}
