import { type TSchema, Type } from 'typebox';
import { dayFields, tenantField, timeFields } from '../../../platform/http/list-query.ts';
import { currencyCode, described, livemodeFilter } from '../../../platform/http/shapes.ts';
import { account } from '../../payments/ledger/schema.ts';
import { refundListQuery } from '../../payments/refunds/schema.ts';
import { listQuery } from '../../payments/transactions/schema.ts';
import { invoiceListQuery } from '../invoices/schema.ts';

/** How the file is written. */
const fileFields = {
  format: Type.Optional(
    Type.Enum(['xlsx', 'csv'], { default: 'xlsx', description: 'A workbook, or CSV with a byte order mark.' }),
  ),
  language: Type.Optional(
    Type.Enum(['en', 'de'], {
      default: 'en',
      description: 'Of headers and words. A German CSV has decimal commas, and semicolons between its cells.',
    }),
  ),
};

export type FileQuery = { format?: 'xlsx' | 'csv'; language?: 'en' | 'de'; timeZone?: string };

/** The filters of a list, without what chooses a page of it. */
function filtersOf<Properties extends Record<string, TSchema>>({ properties }: { properties: Properties }) {
  const { page, pageSize, cursor, after, fields, ...filters } = properties;
  return filters as Omit<Properties, 'page' | 'pageSize' | 'cursor' | 'after' | 'fields'>;
}

export const paymentsFile = Type.Object({ ...filtersOf(listQuery), ...fileFields });
export const refundsFile = Type.Object({ ...filtersOf(refundListQuery), ...fileFields });
export const invoicesFile = Type.Object({ ...filtersOf(invoiceListQuery), ...fileFields });

export const ledgerFile = Type.Object({
  currency: Type.Optional(currencyCode('Only this currency.')),
  account: Type.Optional(described(account, 'Only transfers that debit or credit this account.')),
  ...dayFields,
  timeZone: timeFields.timeZone,
  tenantId: tenantField,
  livemode: livemodeFilter,
  ...fileFields,
});

export const taxesFile = Type.Object({
  currency: Type.Optional(currencyCode('Only this currency.')),
  ...timeFields,
  tenantId: tenantField,
  livemode: livemodeFilter,
  ...fileFields,
});
