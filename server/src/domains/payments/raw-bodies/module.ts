import type { Module } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { PaymentsApp } from '../app.ts';
import { partAssociatedData, partBytes } from './raw-bodies.ts';
import type { PartKey } from './statements.ts';
import { sweepRawBodies } from './sweep.ts';

/** Bodies of requests that are files, such as evidence about disputes. */
export const rawBodies = {
  name: 'raw-bodies',
  tables: ['raw_body', 'raw_body_part'],
  sealed: [
    sealedColumn<PartKey>({
      noun: 'parts of files',
      table: 'raw_body_part',
      column: 'content_sealed',
      key: [
        ['tenant_id', 'bigint'],
        ['body_id', 'uuid'],
        ['number', 'bigint'],
      ],
      associatedData: partAssociatedData,
      // 5 MB.
      batchRows: Math.ceil(5_000_000 / partBytes),
    }),
  ],
  retention: ({ database }) => [{ name: 'raw bodies', sweep: (nowMs) => sweepRawBodies(database, nowMs) }],
} satisfies Module<PaymentsApp>;
