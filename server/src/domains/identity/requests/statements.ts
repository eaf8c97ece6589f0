import { columns } from '../../../platform/postgres/columns.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** A request as it is written. */
export interface LoggedRequest {
  tenantId: number;
  id: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  livemode: boolean | undefined;
  userId: number;
  keyId: number | undefined;
  requestId: string;
  address: string | undefined;
  userAgent: string | undefined;
  idempotencyKey: string | undefined;
  error: { type: string; field: string | undefined; message: string } | undefined;
}

export const loggedRequests = columns<LoggedRequest>([
  ['tenant_id', 'bigint', (request) => request.tenantId],
  ['id', 'uuid', (request) => request.id],
  ['method', 'text', (request) => request.method],
  ['path', 'text', (request) => request.path],
  ['status', 'smallint', (request) => request.status],
  ['duration_ms', 'int', (request) => request.durationMs],
  ['livemode', 'boolean', (request) => request.livemode],
  ['user_id', 'bigint', (request) => request.userId],
  ['key_id', 'bigint', (request) => request.keyId],
  ['request_id', 'text', (request) => request.requestId],
  ['address', 'text', (request) => request.address],
  ['user_agent', 'text', (request) => request.userAgent],
  ['idempotency_key', 'text', (request) => request.idempotencyKey],
  ['error_type', 'text', (request) => request.error?.type],
  ['error_field', 'text', (request) => request.error?.field],
  ['error_message', 'text', (request) => request.error?.message],
]);

const names = loggedRequests.list.map(([name]) => name).join(', ');

/** Values: those of `loggedRequests`. */
export const insertRequests = statement(
  'requests.insert',
  `insert into api_request (${names}) ${loggedRequests.relation()}`,
);

export interface RequestRow {
  tenant_id: number;
  id: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  livemode: boolean | null;
  user_id: number;
  key_id: number | null;
  request_id: string;
  address: string | null;
  user_agent: string | null;
  idempotency_key: string | null;
  error_type: string | null;
  error_field: string | null;
  error_message: string | null;
}

export const requestColumns = loggedRequests.list.map(([name]) => `r.${name}`).join(', ');

/** Values: tenants, id, user (null: any), key (null: any), mode (null: any). */
export const findRequest = statement<RequestRow>(
  'requests.find',
  `select ${requestColumns}
     from unnest($1::bigint[]) as visible (tenant_id)
     join api_request r on r.tenant_id = visible.tenant_id and r.id = $2::uuid
    where ($3::bigint is null or r.user_id = $3) and ($4::bigint is null or r.key_id = $4)
      and ($5::boolean is null or r.livemode = $5)`,
);

/** Values: the first id that is kept, how many at most. */
export const deleteExpiredRequests = statement<{ id: string }>(
  'requests.delete_expired',
  `with expired as materialized (
     select old.tenant_id, old.id
       from tenant
      cross join lateral (
        select tenant_id, id from api_request
         where tenant_id = tenant.id and id < $1::uuid
         order by id limit $2::int
      ) as old
      limit $2::int
   )
   delete from api_request r using expired where r.tenant_id = expired.tenant_id and r.id = expired.id
   returning r.id`,
);
