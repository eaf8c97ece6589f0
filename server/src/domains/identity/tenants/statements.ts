import { statement } from '../../../platform/postgres/statement.ts';
import type { MailLanguage } from './schema.ts';

export interface TenantRow {
  id: number;
  name: string;
  state: boolean;
  second_factor_required: boolean;
  address: Record<string, string> | null;
  tax_id: string | null;
  customer_mails: boolean;
  mail_language: MailLanguage;
  created_at: string;
  updated_at: string | null;
}

/**
 * Copies of tenants and users that authentication holds. A change of one drops all entries: such changes are rare, and
 * a stale entry would let a revoked caller in.
 */
export const principals = 'principals';

const columns =
  'id, name, state, second_factor_required, address, tax_id, customer_mails, mail_language, created_at, updated_at';

export const findTenant = statement<TenantRow>('tenants.find', `select ${columns} from tenant where id = $1`);

export const tenantIds = statement<{ id: number }>('tenants.ids', 'select id from tenant');

/** Without the platform's own tenant (id 0), which is null in the API. Values: offset, limit. */
export const listTenants = statement<TenantRow>(
  'tenants.list',
  `select ${columns} from tenant where id > 0 order by created_at, id offset $1 limit $2`,
);

export const countTenants = statement<{ total: number }>(
  'tenants.count',
  'select count(*) as total from tenant where id > 0',
);

/**
 * Values: name, state, now, whether a second factor is required (null: no), address as JSON, tax id, whether customers
 * are mailed and in which language (null: the defaults).
 */
export const insertTenant = statement<TenantRow>(
  'tenants.insert',
  `insert into tenant (name, state, created_at, second_factor_required, address, tax_id, customer_mails, mail_language)
   values ($1, $2, $3, coalesce($4, false), $5::json, $6, coalesce($7, false), coalesce($8, 'en'))
   returning ${columns}`,
);

export const lockTenant = statement<TenantRow>(
  'tenants.lock',
  `select ${columns} from tenant where id = $1 for no key update`,
);

/**
 * Values: id, name, state, now, whether a second factor is required (null keeps it); address and tax id, each preceded
 * by whether it is given; whether customers are mailed and in which language (null keeps it).
 */
export const updateTenant = statement<TenantRow>(
  'tenants.update',
  `update tenant set name = $2, state = $3, updated_at = $4,
          second_factor_required = coalesce($5, second_factor_required),
          address = case when $6 then $7::json else address end, tax_id = case when $8 then $9 else tax_id end,
          customer_mails = coalesce($10, customer_mails), mail_language = coalesce($11, mail_language)
    where id = $1 returning ${columns}`,
  { invalidates: { cache: principals, key: ({ id }) => id } },
);
