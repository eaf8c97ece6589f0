import { Type } from 'typebox';
import { eventTypes } from '../../../core/event-types.ts';
import { cursorFields, dayFields } from '../../../platform/http/list-query.ts';
import { livemode, livemodeFilter } from '../../../platform/http/shapes.ts';
import { tenantIdOnWire } from '../../identity/tenants/schema.ts';

export const type = Type.Enum([...eventTypes]);

export const eventListQuery = Type.Object({
  ...cursorFields,
  type: Type.Optional(type),
  objectId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only events about this record, such as `txn_…`.' }),
  ),
  ...dayFields,
  livemode: livemodeFilter,
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

export const eventDetail = Type.Object({
  ...listedEvent.properties,
  payload: Type.Object({}, { additionalProperties: true, description: 'The body of every delivery of this event.' }),
});
