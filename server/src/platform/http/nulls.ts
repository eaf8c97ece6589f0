import type { TSchema } from 'typebox';

interface Shape {
  type?: string | string[];
  properties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
}

/**
 * Removes the nulls of a body that mean "not given": generated clients send null for every optional field. Null keeps
 * its meaning only where a schema admits it and the body names an existing record by `id`: there it clears the field.
 * What a schema leaves open, such as metadata, stays as it is. Undefined: no body of this schema has such nulls.
 */
export function nullsRemoverOf(schema: TSchema): ((body: unknown) => void) | undefined {
  const { properties, items, anyOf = [] } = schema as Shape;
  if (items !== undefined) return forEachItem(nullsRemoverOf(items));
  if (properties === undefined) return anyOf.map(nullsRemoverOf).find((remove) => remove !== undefined);
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    clearable: admitsNull(field),
    removeInner: nullsRemoverOf(field),
  }));
  return (body) => {
    if (typeof body !== 'object' || body === null) return;
    const values = body as Record<string, unknown>;
    const updates = 'id' in properties && values.id != null;
    for (const { name, clearable, removeInner } of fields) {
      const value = values[name];
      if (value === null && !(clearable && updates)) delete values[name];
      else if (removeInner !== undefined) removeInner(value);
    }
  };
}

function forEachItem(remove: ((item: unknown) => void) | undefined): ((list: unknown) => void) | undefined {
  return remove && ((list) => Array.isArray(list) && list.forEach(remove));
}

function admitsNull(schema: TSchema): boolean {
  const { type, anyOf = [] } = schema as Shape;
  return type === 'null' || (Array.isArray(type) && type.includes('null')) || anyOf.some(admitsNull);
}
