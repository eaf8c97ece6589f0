import type { Check } from '../../../platform/postgres/check.ts';
import { digestOf, payloadVersion } from './append-events.cte.ts';

/** When an id was generated, in Unix seconds. */
const createdSecondsOf = (id: string) =>
  `('x' || substring(replace(${id}::text, '-', '') for 12))::bit(48)::bigint / 1000`;
const publicId = (id: string) => `'evt_' || replace(${id}::text, '-', '')`;

export const eventChecks: readonly Check[] = [
  {
    claim: 'The body of every event is unchanged since it was written, and agrees with its row',
    // Events written before the digest column existed have none: only their rows are compared with their bodies. Bodies
    // written before there was an apiVersion have none.
    offenders: `
      select ${publicId('id')} as offender
        from event
       where digest is distinct from case when digest is not null then ${digestOf('body')} end
          or not starts_with(replace(left(body, 300), ',"apiVersion":"${payloadVersion}","data":', ',"data":'),
                             format('{"id":"%s","type":"%s","created":%s,"data":{"object":{', ${publicId('id')}, type,
                                    ${createdSecondsOf('id')}))`,
  },
];
