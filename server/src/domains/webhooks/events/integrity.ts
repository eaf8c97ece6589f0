import type { Check } from '../../../platform/postgres/check.ts';
import { digestOf } from './append-events.cte.ts';

/** The moment an id was drawn, in Unix seconds. */
const secondOf = (id: string) => `('x' || substring(replace(${id}::text, '-', '') for 12))::bit(48)::bigint / 1000`;
const publicId = (id: string) => `'evt_' || replace(${id}::text, '-', '')`;

/** What must be true of events. */
export const eventChecks: readonly Check[] = [
  {
    claim: 'The body of every event is the one that was written, and says what stands beside it',
    // Events of releases before the digest are held against what their rows say alone.
    offenders: `
      select ${publicId('id')} as offender
        from event
       where digest is distinct from case when digest is not null then ${digestOf('body')} end
          or not starts_with(body, format('{"id":"%s","type":"%s","created":%s,"data":{"object":{', ${publicId('id')},
                                          type, ${secondOf('id')}))`,
  },
];
