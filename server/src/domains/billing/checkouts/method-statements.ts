import { statement } from '../../../platform/postgres/statement.ts';
import type { MethodRow } from '../../payments/methods/record.ts';

/** A payment method as the pages of its customer show it. */
export interface MethodOnPage
  extends Pick<
    MethodRow,
    | 'tenant_id'
    | 'id'
    | 'channel_id'
    | 'type'
    | 'brand'
    | 'last4'
    | 'expiry_month'
    | 'expiry_year'
    | 'status'
    | 'failure_code'
    | 'is_default'
    | 'next_action'
  > {}

/** The payment methods of a customer that have not been removed, newest first. Values: tenant, customer, limit. */
export const findMethodsOfCustomer = statement<MethodOnPage>(
  'checkouts.find_methods',
  `select tenant_id, id, channel_id, type, brand, last4, expiry_month, expiry_year, status, failure_code, is_default,
          next_action
     from payment_method
    where tenant_id = $1 and customer_id = $2 and status <> 'DETACHED'
    order by is_default desc, id desc limit $3`,
);
