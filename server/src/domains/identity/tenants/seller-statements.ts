import { statement } from '../../../platform/postgres/statement.ts';
import type { MailTexts } from './mail-texts.ts';
import type { MailLanguage } from './schema.ts';

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
  created_at: string;
  updated_at: string | null;
}

/** Values: tenant. */
export const findSeller = statement<SellerRow>(
  'sellers.find',
  `select id, name, address, tax_id, brand_color, logo, logo_type, customer_mails, mail_language, mail_texts, created_at,
          updated_at
     from tenant where id = $1`,
);

/**
 * Values: tenant, name (null keeps it), now; address, tax id and colour, each preceded by whether it is given; whether
 * a logo is given, its bytes and its type; whether customers are mailed and in which language (null keeps it); the
 * texts of mails, preceded by whether they are given.
 */
export const updateSeller = statement(
  'sellers.update',
  `update tenant
      set name = coalesce($2, name), updated_at = $3, address = case when $4 then $5::json else address end,
          tax_id = case when $6 then $7 else tax_id end, brand_color = case when $8 then $9 else brand_color end,
          logo = case when $10 then $11::bytea else logo end, logo_type = case when $10 then $12 else logo_type end,
          customer_mails = coalesce($13, customer_mails), mail_language = coalesce($14, mail_language),
          mail_texts = case when $15 then $16::json else mail_texts end
    where id = $1`,
);
