import { statement } from '../../../platform/postgres/statement.ts';
import type { EvidenceFileType } from '../providers/dispute.ts';

export interface FileRow {
  id: string;
  name: string;
  type: EvidenceFileType;
  bytes: number;
  sha256: string;
}

/**
 * A file, whose content is the raw body of its id. Values: tenant, id, dispute, name, type, bytes, SHA-256 in hex,
 * user, now.
 */
export const insertFile = statement(
  'disputes.insert_file',
  `insert into dispute_file (tenant_id, id, dispute_id, name, type, bytes, sha256, user_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9::float8 / 1000))`,
);

/** The files of a dispute, the oldest first. Values: tenant, dispute. */
export const findFiles = statement<FileRow>(
  'disputes.find_files',
  `select id, name, type, bytes, sha256 from dispute_file where tenant_id = $1 and dispute_id = $2 order by id`,
);

/** Values: tenant, ids. */
export const readFiles = statement<FileRow>(
  'disputes.read_files',
  `select id, name, type, bytes, sha256 from dispute_file
    where tenant_id = $1 and id = any ($2::uuid[]) order by id`,
);

/** Deletes a file that was never part of an answer. Values: tenant, dispute, id. */
export const deleteUnsentFile = statement<{ id: string }>(
  'disputes.delete_unsent_file',
  `delete from dispute_file f
    where f.tenant_id = $1 and f.dispute_id = $2 and f.id = $3
      and not exists (
        select from dispute_operation o
         where o.tenant_id = $1 and o.dispute_id = $2 and position($3::text in o.evidence::text) > 0)
   returning id`,
);
