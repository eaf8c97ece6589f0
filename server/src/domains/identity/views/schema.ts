import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { oneLine } from '../../../platform/http/shapes.ts';

const aboutList = 'The name of the list in the console, such as `payments`.';
const aboutQuery = 'The filters and columns, as a query string without its question mark.';

const listName = Type.String({
  pattern: '^[a-z][a-z-]{0,39}$',
  title: form('list_name'),
  description: aboutList,
});

const name = oneLine({
  maxLength: 60,
  description: 'Absent: the default view, with which the list opens.',
});

const query = Type.String({ maxLength: 2_000, description: aboutQuery });

export const viewQuery = Type.Object({ listName: Type.Optional(listName) });

export const modifyViewInput = Type.Object(
  { listName, name: Type.Optional(name), query },
  { $id: 'ViewModifyInput', additionalProperties: false },
);

export const removeViewInput = Type.Object(
  { listName, name: Type.Optional(name) },
  { $id: 'ViewRemoveInput', additionalProperties: false },
);

export const viewRecord = Type.Object(
  {
    listName: Type.String({ description: aboutList }),
    name: Type.Union([Type.String(), Type.Null()], {
      description: 'null: the default view, with which the list opens.',
    }),
    query: Type.String({ description: aboutQuery }),
    createdTime: Type.String(),
    updatedTime: Type.String(),
  },
  { $id: 'View' },
);
