import { statement } from '../../../platform/postgres/statement.ts';

export interface PartKey {
  tenant_id: number;
  body_id: string;
  number: number;
}

/** Values: tenant, id, now in ms. */
export const insertBody = statement(
  'raw_bodies.insert',
  'insert into raw_body (tenant_id, id, created_at) values ($1, $2, to_timestamp($3::float8 / 1000))',
);

/** Values: tenant, body, number, the sealed content. */
export const insertPart = statement(
  'raw_bodies.insert_part',
  'insert into raw_body_part (tenant_id, body_id, number, content_sealed) values ($1, $2, $3, $4)',
);

/** All of a body has arrived. Values: tenant, id, bytes, SHA-256 in hex. */
export const completeBody = statement(
  'raw_bodies.complete',
  'update raw_body set bytes = $3, sha256 = $4 where tenant_id = $1 and id = $2',
);

/** A record has a body that has arrived. Values: tenant, id. */
export const keepBody = statement<{ id: string }>(
  'raw_bodies.keep',
  'update raw_body set kept = true where tenant_id = $1 and id = $2 and sha256 is not null returning id',
);

/** With its parts. Values: tenant, id. */
export const deleteBody = statement('raw_bodies.delete', 'delete from raw_body where tenant_id = $1 and id = $2');

/** With their parts. Values: created until, in ms, limit. */
export const deleteAbandoned = statement<unknown>(
  'raw_bodies.delete_abandoned',
  `delete from raw_body where (tenant_id, id) in (
     select tenant_id, id from raw_body where not kept and created_at < to_timestamp($1::float8 / 1000) limit $2
   )
   returning 1`,
);

/** Values: tenant, body, number. */
export const findPart = statement<{ content_sealed: Buffer }>(
  'raw_bodies.find_part',
  'select content_sealed from raw_body_part where tenant_id = $1 and body_id = $2 and number = $3',
);
