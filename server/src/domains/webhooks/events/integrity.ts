import type { Check } from '../../../platform/postgres/check.ts';
import { payloadVersion, unkeyedDigestOf } from './append-events.cte.ts';

/** Up to the time of the event, which every body has, and from there to the record. */
const beginning = `'{"id":"evt_' || hex || '","type":"' || type || '","created":' ||
              ('x' || left(hex, 12))::bit(48)::bigint / 1000`;
const versionText = `,"apiVersion":"${payloadVersion}"`;
const record = ',"data":{"object":{';
const modeAndRecord = `',"livemode":' || livemode::text || '${record}'`;

export const eventChecks: readonly Check[] = [
  {
    claim: 'The body of every event agrees with its row, and with a digest that was made without a key',
    // Digests made with a key are checked by the service (`digest-check.ts`). Events written before the digest column
    // existed have none. Older bodies contain neither `livemode` nor `apiVersion`.
    offenders: `
      select 'evt_' || hex as offender
        from (
          select hex, livemode, digest, body, ${beginning} as beginning
            from (select *, replace(id::text, '-', '') as hex from event offset 0) as event
          offset 0
        ) as event
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
