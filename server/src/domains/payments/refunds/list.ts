import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { firstUuidAt, uuidOfPublicId } from '../../../core/id.ts';
import { listedModes } from '../../../core/livemode.ts';
import { filteredList } from '../../../platform/lists/list.ts';
import { foundIds, inBoth, prefixPattern } from '../../../platform/lists/search.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { defineList } from '../../identity/tenants/define-list.ts';
import { tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import {
  findByReference,
  findBySearch,
  indexedReason,
  type ListedRow,
  refundFilters,
  statements,
} from './list-statements.ts';
import { recordOf } from './record.ts';
import { listedRefund, type refundListQuery } from './schema.ts';

type Query = Static<typeof refundListQuery>;

export const listRefunds = defineList<Query, ListedRow, Static<typeof listedRefund>>({
  async find({ query, principal, tenantIds }, app) {
    const { fromMs, toMs } = timeRangeOf(query);
    const modes = listedModes(principal, query.livemode, [
      query.transactionId,
      query.channelId,
      query.customerId,
      query.invoiceId,
      query.providerReference,
    ]);
    const given = {
      ...query,
      modes,
      paymentId: uuidOfPublicId('txn', query.transactionId ?? ''),
      ids: await lookUp(app.listDatabase, query, tenantIds),
    };
    return filteredList(app, {
      name: 'refunds',
      tenantIds,
      query,
      given,
      filters: refundFilters,
      statements,
      keys: { keyType: 'uuid', idPrefix: 'ref', fromKey: firstUuidAt(fromMs), toKey: firstUuidAt(toMs) },
    });
  },
  listedAs:
    ({ principal }) =>
    (row) => ({
      ...recordOf(row),
      ...tenantOfRow(principal, row),
      channelId: row.channel_id,
      customerId: row.customer_id,
    }),
  exported: { file: 'refunds', shape: listedRefund, action: 'refund.export' },
});

/** The refunds with the provider's reference that the search finds; undefined: the query has neither. */
async function lookUp(
  database: Queryable,
  { providerReference, search }: Query,
  tenantIds: readonly number[],
): Promise<string[] | undefined> {
  const referenced =
    providerReference === undefined
      ? undefined
      : foundIds(await database.run(findByReference, [tenantIds, providerReference]), 'providerReference');
  if (search === undefined) return referenced;
  const [refundId, paymentId] = [uuidOfPublicId('ref', search) ?? null, uuidOfPublicId('txn', search) ?? null];
  const reason = prefixPattern(search.slice(0, indexedReason));
  return inBoth(
    referenced,
    foundIds(await database.run(findBySearch, [tenantIds, refundId, paymentId, search, reason])),
  );
}
