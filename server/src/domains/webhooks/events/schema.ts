import { Type } from 'typebox';
import { eventTypes } from '../../../core/event-types.ts';
import {
  cursorListFields,
  furtherFields,
  searchField,
  tenantField,
  timeFields,
} from '../../../platform/http/list-query.ts';
import { livemode, livemodeFilter } from '../../../platform/http/shapes.ts';
import { tenantIdOnWire } from '../../identity/tenants/schema.ts';

export const type = Type.Enum([...eventTypes], { $id: 'EventType' });

export const eventListQuery = Type.Object({
  ...cursorListFields,
  type: Type.Optional(type),
  objectId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only events about this record, such as `txn_…`.' }),
  ),
  search: searchField('the id of the event or of the record that it is about'),
  ...timeFields,
  tenantId: tenantField,
  livemode: livemodeFilter,
  fields: furtherFields(['payload']),
});

export const eventQuery = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, description: '`evt_` and a time-ordered body.' }),
});

export const listedEvent = Type.Object({
  id: Type.String(),
  livemode,
  tenantId: tenantIdOnWire,
  type,
  objectId: Type.String({ description: 'The record that the event is about.' }),
  createdTime: Type.String(),
});

const payload = Type.Object(
  {},
  { additionalProperties: true, description: 'The body of every delivery of this event.' },
);

/** An event as a row of the list. */
export const eventRow = Type.Object({ ...listedEvent.properties, payload: Type.Optional(payload) }, { $id: 'Event' });

export const eventDetail = Type.Object({ ...listedEvent.properties, payload }, { $id: 'EventDetail' });
