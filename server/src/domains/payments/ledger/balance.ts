import type { Static } from 'typebox';
import { visibleModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import { type Account, accounts } from './accounts.ts';
import type { accountBalance, balanceQuery } from './schema.ts';
import { readBalances } from './statements.ts';

export type AccountBalance = Static<typeof accountBalance>;

/**
 * The balance of every account in every currency that has transfers, ordered by currency, in one mode. A platform
 * administrator sees the sums over all tenants, or those of one.
 */
export async function balancesOf(
  database: Queryable,
  { currency, date, tenantId, livemode }: Static<typeof balanceQuery>,
  principal: Principal,
): Promise<AccountBalance[]> {
  const modes = visibleModes(principal, livemode);
  const tenantIds = await listedTenants(database, principal, tenantId);
  const rows = await database.run(readBalances, [tenantIds, currency, date, modes]);
  const rowsByCurrency = Map.groupBy(rows, (row) => row.currency);
  return [...rowsByCurrency.keys()].sort().flatMap((code) =>
    (Object.keys(accounts) as Account[]).map((account): AccountBalance => {
      const row = rowsByCurrency.get(code)?.find((one) => one.account === account);
      const balance = row ?? { currency: code, account, debit: '0', credit: '0', balance: '0' };
      return { livemode: modes[0] as boolean, ...balance };
    }),
  );
}
