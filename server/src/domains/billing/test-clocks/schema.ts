import { Type } from 'typebox';
import { long, nullable } from '../../../platform/http/shapes.ts';

const time = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 40, pattern: '^(?!0000)', title: 'a time of ISO 8601', description });

export const clockInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    nowTime: Type.Optional(time('What it shows at first: `2026-01-31T00:00:00Z`; the real time without it.')),
  },
  { additionalProperties: false },
);

export const clockAdvance = Type.Object(
  {
    id: long('The clock.'),
    toTime: time('What it is to show: later than now, by ten years at most.'),
  },
  { additionalProperties: false },
);

export const clockQuery = Type.Object({ id: long('The clock.') });

export const clockRecord = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  nowTime: Type.String({ description: 'What it shows.' }),
  state: Type.Enum(['READY', 'ADVANCING'], {
    description: 'ADVANCING: on its way to `toTime`, from one due moment to the next.',
  }),
  toTime: nullable(Type.String({ description: 'Where it is going; null: it stands still.' })),
  createdTime: Type.String(),
  updatedTime: nullable(Type.String()),
});
