import { statement } from '../../../platform/postgres/statement.ts';
import type { MailLanguage, ReopenPolicy } from '../../identity/tenants/sellers.ts';
import type { MailTexts } from './mail-texts.ts';

/** A tenant as payers and customers see it. */
export interface SellerRow {
  id: number;
  name: string;
  address: Record<string, string> | null;
  tax_id: string | null;
  /** `#rrggbb`. */
  brand_color: string | null;
  logo: Buffer | null;
  logo_type: 'image/png' | 'image/jpeg' | null;
  customer_mails: boolean;
  mail_language: MailLanguage;
  mail_texts: MailTexts | null;
  reopen_invoices: ReopenPolicy;
  /** Days to pay an invoice that names no day. */
  due_days: number;
  created_at: string;
  updated_at: string | null;
}

/** A tenant that never changed its seller has no row. */
const language = `coalesce(s.mail_language, 'en')`;
const reopening = `coalesce(s.reopen_invoices, 'RETURNED')`;

/** Values: tenant. */
export const findSeller = statement<SellerRow>(
  'sellers.find',
  `select t.id, t.name, s.address, s.tax_id, s.brand_color, s.logo, s.logo_type,
          coalesce(s.customer_mails, false) as customer_mails, ${language} as mail_language, s.mail_texts,
          ${reopening} as reopen_invoices, coalesce(s.due_days, 0)::int as due_days, t.created_at, t.updated_at
     from tenant t left join seller s on s.tenant_id = t.id
    where t.id = $1`,
);

/** A seller as an invoice names it. */
export interface Seller {
  name: string;
  address: Record<string, string> | null;
  taxId: string | null;
}

/** Values: array of tenants. */
export const findSellers = statement<
  Seller & { id: number; customerMails: boolean; mailLanguage: MailLanguage; reopenInvoices: ReopenPolicy }
>(
  'sellers.find_many',
  `select t.id, t.name, s.address, s.tax_id as "taxId", coalesce(s.customer_mails, false) as "customerMails",
          ${language} as "mailLanguage", ${reopening} as "reopenInvoices"
     from tenant t left join seller s on s.tenant_id = t.id
    where t.id = any ($1::bigint[])`,
);

/** The language in which a tenant addresses its customers. Values: tenant. */
export const findLanguage = statement<{ language: MailLanguage }>(
  'sellers.find_language',
  `select ${language} as language from tenant t left join seller s on s.tenant_id = t.id where t.id = $1`,
);

/** Values: tenant. */
export const findReopenPolicy = statement<{ policy: ReopenPolicy }>(
  'sellers.find_reopen_policy',
  `select ${reopening} as policy from tenant t left join seller s on s.tenant_id = t.id where t.id = $1`,
);

/** Values: tenant. */
export const findLogo = statement<{ logo: Buffer; logo_type: string }>(
  'sellers.find_logo',
  'select logo, logo_type from seller where tenant_id = $1 and logo is not null',
);

/**
 * Values: tenant; address, tax id and colour, each preceded by whether it is given; whether a logo is given, its bytes
 * and its type; whether customers are mailed and in which language (null keeps it); the texts of mails, preceded by
 * whether they are given; which disputes reopen invoices and
 * the days to pay (null keeps them).
 */
export const saveSeller = statement(
  'sellers.save',
  `insert into seller as s (tenant_id, address, tax_id, brand_color, logo, logo_type, customer_mails, mail_language,
                            mail_texts, reopen_invoices, due_days)
   values ($1, $3::json, $5, $7, $9::bytea, $10, coalesce($11, false), coalesce($12, 'en'), $14::json, $15, $16)
   on conflict (tenant_id) do update
      set address = case when $2 then excluded.address else s.address end,
          tax_id = case when $4 then excluded.tax_id else s.tax_id end,
          brand_color = case when $6 then excluded.brand_color else s.brand_color end,
          logo = case when $8 then excluded.logo else s.logo end,
          logo_type = case when $8 then excluded.logo_type else s.logo_type end,
          customer_mails = coalesce($11, s.customer_mails), mail_language = coalesce($12, s.mail_language),
          mail_texts = case when $13 then excluded.mail_texts else s.mail_texts end,
          reopen_invoices = coalesce($15, s.reopen_invoices), due_days = coalesce($16, s.due_days)`,
);
