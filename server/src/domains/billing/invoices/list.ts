import type { Static } from 'typebox';
import { listedModes } from '../../../core/livemode.ts';
import { createdLimitsOf } from '../../../platform/lists/created.cte.ts';
import { filteredList } from '../../../platform/lists/list.ts';
import { integerOf, prefixPattern, searchIds } from '../../../platform/lists/search.ts';
import { defineList } from '../../identity/tenants/define-list.ts';
import { tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import { findBySearch, indexedDescription, invoiceFilters, statements } from './list-statements.ts';
import { numberOf } from './number.ts';
import { recordOf } from './record.ts';
import { type invoiceListQuery, invoiceRow } from './schema.ts';
import type { InvoiceRow } from './statements.ts';

type Query = Static<typeof invoiceListQuery>;

export const listInvoices = defineList<Query, InvoiceRow, Static<typeof invoiceRow>>({
  async find({ query, principal, tenantIds }, app) {
    const modes = listedModes(principal, query.livemode, [query.number, query.customerId, query.subscriptionId]);
    const ids = await searchIds(app.listDatabase, query.search, findBySearch, (text) => {
      const { series, number } = numberOf(text);
      const pattern = prefixPattern(text.slice(0, indexedDescription));
      return [tenantIds, integerOf(text), series, number, text, pattern];
    });
    const given = { ...query, modes, ...createdLimitsOf(query), ids };
    return filteredList(app, { name: 'invoices', tenantIds, query, given, filters: invoiceFilters, statements });
  },
  listedAs:
    ({ principal }) =>
    (row) => ({ ...recordOf(row), ...tenantOfRow(principal, row) }),
  exported: { file: 'invoices', shape: invoiceRow, action: 'invoice.export' },
});
