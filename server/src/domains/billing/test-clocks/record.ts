import type { Static } from 'typebox';
import type { clockRecord } from './schema.ts';
import type { ClockRow } from './statements.ts';

export type ClockRecord = Static<typeof clockRecord>;

export function recordOf({ id, livemode, name, now_at, target_at, created_at, updated_at }: ClockRow): ClockRecord {
  return {
    id,
    livemode,
    name,
    nowTime: now_at,
    state: target_at === null ? 'READY' : 'ADVANCING',
    toTime: target_at,
    createdTime: created_at,
    updatedTime: updated_at ?? created_at,
  };
}
