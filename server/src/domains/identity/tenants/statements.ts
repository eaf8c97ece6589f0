import { statement } from '../../../platform/postgres/statement.ts';

export interface TenantRow {
  id: number;
  name: string;
  state: boolean;
  second_factor_required: boolean;
  created_at: string;
  updated_at: string | null;
}

/**
 * Copies of tenants and users that authentication holds. A change of one drops all entries: such changes are rare, and
 * a stale entry would let a revoked caller in.
 */
export const principals = 'principals';

const columns = 'id, name, state, second_factor_required, created_at, updated_at';

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

/** Values: name, state, now, whether a second factor is required (null: no). */
export const insertTenant = statement<TenantRow>(
  'tenants.insert',
  `insert into tenant (name, state, created_at, second_factor_required)
   values ($1, $2, $3, coalesce($4, false))
   returning ${columns}`,
);

export const lockTenant = statement<TenantRow>(
  'tenants.lock',
  `select ${columns} from tenant where id = $1 for no key update`,
);

/** Values: id, name, state, now, whether a second factor is required (null keeps it). */
export const updateTenant = statement<TenantRow>(
  'tenants.update',
  `update tenant set name = $2, state = $3, updated_at = $4,
          second_factor_required = coalesce($5, second_factor_required)
    where id = $1 returning ${columns}`,
  { invalidates: { cache: principals, key: ({ id }) => id } },
);

/** For its seller. Values: id, name (null keeps it), now. */
export const renameTenant = statement(
  'tenants.rename',
  'update tenant set name = coalesce($2, name), updated_at = $3 where id = $1',
);
