import { Type } from 'typebox';
import { long } from '../../../platform/http/shapes.ts';

export const printQuery = Type.Object({
  id: long('The invoice.'),
  format: Type.Optional(Type.Enum(['html', 'pdf'], { default: 'html' })),
});
