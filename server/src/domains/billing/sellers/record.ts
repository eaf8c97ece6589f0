import type { Static } from 'typebox';
import type { sellerRecord } from './schema.ts';
import type { SellerRow } from './statements.ts';

export type SellerRecord = Static<typeof sellerRecord>;

export function recordOf(row: SellerRow): SellerRecord {
  return {
    id: row.id,
    name: row.name,
    address: row.address,
    taxId: row.tax_id,
    brandColor: row.brand_color,
    logo: row.logo === null ? null : `data:${row.logo_type};base64,${row.logo.toString('base64')}`,
    customerMails: row.customer_mails,
    mailLanguage: row.mail_language,
    mailTexts: row.mail_texts,
    reopenInvoices: row.reopen_invoices,
    dueDays: row.due_days,
    updatedTime: row.updated_at ?? row.created_at,
  };
}
