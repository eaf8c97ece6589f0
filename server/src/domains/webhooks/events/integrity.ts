import type { Check } from '../../../platform/postgres/check.ts';
import { payloadVersion, unkeyedDigestOf } from './append-events.cte.ts';

/** When an id was generated, in Unix seconds. */
const createdSecondsOf = (id: string) =>
  `('x' || substring(replace(${id}::text, '-', '') for 12))::bit(48)::bigint / 1000`;
const publicId = (id: string) => `'evt_' || replace(${id}::text, '-', '')`;

const versionText = `,"apiVersion":"${payloadVersion}"`;
/** Up to the time of the event, which every body has, and from there to the record. */
const beginning = `'{"id":"' || ${publicId('id')} || '","type":"' || type || '","created":' ||
              ${createdSecondsOf('id')}`;
const record = ',"data":{"object":{';
const modeAndRecord = `',"livemode":' || livemode::text || '${record}'`;

export const eventChecks: readonly Check[] = [
  {
    claim: 'The body of every event agrees with its row, and with a digest that was made without a key',
    // Digests made with a key are checked by the service (`digest-check.ts`). Events written before the digest column
    // existed have none. Older bodies contain neither `livemode` nor `apiVersion`.
    offenders: `
      select ${publicId('id')} as offender
        from (select id, livemode, digest, body, ${beginning} as beginning from event offset 0) as event
       where (length(digest) = 8 and digest <> ${unkeyedDigestOf('body')})
          or not (starts_with(body, beginning || '${versionText}' || ${modeAndRecord})
                  or starts_with(body, beginning || ${modeAndRecord})
                  or starts_with(body, beginning || '${record}'))`,
  },
  {
    claim: 'Every delivery is to an endpoint of the mode of its event',
    offenders: `
      select 'dlv_' || replace(d.id::text, '-', '') as offender
        from delivery d
        join event on event.tenant_id = d.tenant_id and event.id = d.event_id
        join webhook_endpoint endpoint on endpoint.id = d.endpoint_id
       -- Older events have no mode in their body, and went to every endpoint. Their bodies are read last.
       where case when endpoint.livemode <> event.livemode
                  then left(event.body, 200) like '%,"livemode":%,"data":{"object":{%' end`,
  },
];
