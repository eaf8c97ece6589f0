import { versionedRows } from '../../../platform/lists/versioned-rows.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { type MethodRow, method } from './record.ts';

/** Whole rows of `payment_method`. */
export const {
  columns: methodColumns,
  input: methodInput,
  insert: insertMethods,
  update: updateMethods,
  find: findMethod,
  lock: lockMethod,
} = versionedRows<MethodRow>('methods', 'payment_method m', method);

/** The customer's default method, locked. Values: tenant, customer. */
export const lockDefault = statement<MethodRow>(
  'methods.lock_default',
  `select ${methodColumns} from payment_method m
    where m.tenant_id = $1 and m.customer_id = $2 and m.is_default for update`,
);

/** Each customer's methods that could be charged. Values: tenants, customers. */
export const findOfCustomers = statement<MethodRow>(
  'methods.find_of_customers',
  `select ${methodColumns}
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, customer_id)
     join payment_method m on m.tenant_id = wanted.tenant_id and m.customer_id = wanted.customer_id
    where m.status in ('ACTIVE', 'EXPIRED')
    order by m.tenant_id, m.id`,
);

/** Methods, each by tenant and id. Values: tenants, ids. */
export const findMethods = statement<MethodRow>(
  'methods.find_many',
  `select ${methodColumns}
     from unnest($1::bigint[], $2::uuid[]) as wanted (tenant_id, id)
     join payment_method m on m.tenant_id = wanted.tenant_id and m.id = wanted.id`,
);

/** The methods of a channel that the provider knows by an id. Values: channel, keyed digest of the id. */
export const findByReference = statement<MethodRow>(
  'methods.find_by_reference',
  `select ${methodColumns} from payment_method m where m.channel_id = $1 and m.reference_digest = $2 order by m.id`,
);

/** The record of a customer at a provider. */
export interface ProviderCustomerRow {
  tenant_id: number;
  customer_id: number;
  channel_id: number;
  /** The key under which the provider creates it. */
  id: string;
  reference_sealed: Buffer | null;
  reference_digest: Buffer | null;
}

const providerCustomerColumns = 'tenant_id, customer_id, channel_id, id, reference_sealed, reference_digest';

/** Makes the record if there is none. Values: tenant, customer, channel, id of a new one, now in ms. */
export const ensureProviderCustomer = statement<ProviderCustomerRow>(
  'methods.ensure_provider_customer',
  `with made as (
     insert into provider_customer (tenant_id, customer_id, channel_id, id, created_at)
     values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
     on conflict do nothing
     returning ${providerCustomerColumns}
   )
   select * from made
   union all
   select ${providerCustomerColumns} from provider_customer
    where tenant_id = $1 and customer_id = $2 and channel_id = $3`,
);

/** Stores the provider's id. Values: tenant, customer, channel, id, sealed, digest, the digest that it replaces. */
export const learnProviderCustomer = statement(
  'methods.learn_provider_customer',
  `update provider_customer set reference_sealed = $5, reference_digest = $6
    where tenant_id = $1 and customer_id = $2 and channel_id = $3 and id = $4
      and reference_digest is not distinct from $7`,
);

/** Other methods in use that are the same one at the provider. Values: tenant, method. */
export const findSharingReference = statement<{ id: string }>(
  'methods.find_sharing_reference',
  `select other.id
     from payment_method m
     join payment_method other on other.channel_id = m.channel_id and other.reference_digest = m.reference_digest
    where m.tenant_id = $1 and m.id = $2 and other.id <> m.id and other.status in ('ACTIVE', 'EXPIRED', 'REVOKED')
    limit 1`,
);

/** The methods that are kept with a provider's customer. Values: channel, keyed digest of the customer's id. */
export const findOfProviderCustomer = statement<MethodRow>(
  'methods.find_of_provider_customer',
  `select ${methodColumns}
     from provider_customer c
     join payment_method m on m.tenant_id = c.tenant_id and m.customer_id = c.customer_id
      and m.channel_id = c.channel_id
    where c.channel_id = $1 and c.reference_digest = $2
    order by m.id`,
);

/** Makes the provider create a customer again. Values: channel, keyed digest of the customer's id, the new key. */
export const forgetProviderCustomer = statement(
  'methods.forget_provider_customer',
  `update provider_customer set id = $3, reference_sealed = null, reference_digest = null
    where channel_id = $1 and reference_digest = $2`,
);
