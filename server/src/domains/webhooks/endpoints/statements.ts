import { statement } from '../../../platform/postgres/statement.ts';

export interface EndpointRow {
  tenant_id: number;
  id: number;
  url: string;
  events: string[];
  state: boolean;
  created_at: string;
}

export const nextEndpointId = statement<{ id: number }>(
  'webhooks.next_endpoint_id',
  `select nextval(pg_get_serial_sequence('webhook_endpoint', 'id')) as id`,
);

export const insertEndpoint = statement<EndpointRow>(
  'webhooks.insert_endpoint',
  `insert into webhook_endpoint (tenant_id, id, user_id, url, events, secret_sealed, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   returning tenant_id, id, url, events, state, created_at`,
);

export interface TargetRow {
  tenant_id: number;
  id: number;
  url: string;
  secret_sealed: Buffer;
  next_secret_sealed: Buffer | null;
  /** When the next secret takes the other's place; null: when it is told to. */
  promote_at: string | null;
  state: boolean;
}

/** Where an endpoint's deliveries go, and what they are signed with. */
export const findTarget = statement<TargetRow>(
  'webhooks.find_target',
  `select tenant_id, id, url, secret_sealed, next_secret_sealed, promote_at, state from webhook_endpoint
    where id = $1`,
);
