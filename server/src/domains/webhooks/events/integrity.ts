import type { Check } from '../../../platform/postgres/check.ts';
import { payloadVersion, unkeyedDigestOf } from './append-events.cte.ts';

/** When an id was generated, in Unix seconds. */
const createdSecondsOf = (id: string) =>
  `('x' || substring(replace(${id}::text, '-', '') for 12))::bit(48)::bigint / 1000`;
const publicId = (id: string) => `'evt_' || replace(${id}::text, '-', '')`;

const withoutVersion = `replace(left(body, 300), ',"apiVersion":"${payloadVersion}"', '')`;

export const eventChecks: readonly Check[] = [
  {
    claim: 'The body of every event agrees with its row, and with a digest that was made without a key',
    // Digests made with a key are checked by the service (`digest-check.ts`). Events written before the digest column
    // existed have none. Older bodies contain neither `livemode` nor `apiVersion`.
    offenders: `
      select ${publicId('id')} as offender
        from event
       where (length(digest) = 8 and digest <> ${unkeyedDigestOf('body')})
          or not (starts_with(${withoutVersion},
              format('{"id":"%s","type":"%s","created":%s,"livemode":%s,"data":{"object":{',
                                                     ${publicId('id')}, type, ${createdSecondsOf('id')},
                                                         livemode::text))
                  or starts_with(body, format('{"id":"%s","type":"%s","created":%s,"data":{"object":{',
                      ${publicId('id')},
                                              type, ${createdSecondsOf('id')})))`,
  },
  {
    claim: 'Every delivery is to an endpoint of the mode of its event',
    offenders: `
      select 'dlv_' || replace(d.id::text, '-', '') as offender
        from delivery d
        join event on event.tenant_id = d.tenant_id and event.id = d.event_id
        join webhook_endpoint endpoint on endpoint.id = d.endpoint_id
       where endpoint.livemode <> event.livemode
         -- Older events have no mode in their body, and went to every endpoint.
         and left(event.body, 200) like '%,"livemode":%,"data":{"object":{%'`,
  },
];
