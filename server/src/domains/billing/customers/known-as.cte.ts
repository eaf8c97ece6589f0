/**
 * SQL for the ids of a tenant's customers with an external id or mail address, each found by its own index. Both
 * arguments are SQL.
 */
export const customersKnownAs = (tenantId: string, text: string) =>
  `select id from customer where tenant_id = ${tenantId} and external_id = ${text}
           union all
           select id from customer where tenant_id = ${tenantId} and lower(email) = lower(${text})`;
