import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { pageFields } from '../../../platform/http/list-query.ts';
import { livemode, livemodeInput, long, nullable, oneLine, updatedTime } from '../../../platform/http/shapes.ts';

const time = (description: string) =>
  Type.String({
    format: 'date-time',
    maxLength: 40,
    pattern: '^(19[789]|20|21)',
    title: form('time_1970_2200'),
    description,
  });

export const clockInput = Type.Object(
  {
    name: oneLine({ maxLength: 200 }),
    nowTime: Type.Optional(time('The initial time, such as `2026-01-31T00:00:00Z`. Default: the real time.')),
    livemode: livemodeInput('test'),
  },
  { $id: 'ClockCreateInput', additionalProperties: false },
);

export const clockAdvance = Type.Object(
  {
    id: long('The clock.'),
    toTime: time('The new time: not before the current time of the clock, and at most ten years after it.'),
  },
  { $id: 'ClockAdvanceInput', additionalProperties: false },
);

export const clockListQuery = Type.Object({
  livemode: Type.Optional(Type.Boolean({ description: 'Only live (true) or test (false) clocks. Default: both.' })),
  ...pageFields,
});

export const clockQuery = Type.Object({ id: long('The clock.') });

export const clockRecord = Type.Object(
  {
    id: Type.Integer(),
    livemode,
    name: Type.String(),
    nowTime: Type.String({ description: 'The current time of the clock.' }),
    state: Type.Enum(['READY', 'ADVANCING'], {
      description: 'ADVANCING: moving to `toTime`, from one due time to the next.',
    }),
    toTime: nullable(Type.String({ description: 'The time to which it advances; null: it is READY.' })),
    createdTime: Type.String(),
    updatedTime,
  },
  { $id: 'Clock' },
);
