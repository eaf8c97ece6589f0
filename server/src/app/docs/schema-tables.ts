import { type Html, html, joined } from '../../platform/http/html.ts';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  default?: unknown;
  /** Every optional field may be null: said once on the page, not in each row. */
  'x-null-means-absent'?: true;
}

export interface FieldRow {
  name: string;
  type: Html;
  required: boolean;
  description: string;
}

/** The fields of a schema; those of nested objects have dotted names. */
export function fieldsOf(schema: Schema, document: OpenApiDocument, prefix = ''): FieldRow[] {
  const object = resolved(schema, document);
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    if (Object.keys(field.properties ?? {}).length > 0) return fieldsOf(field, document, `${prefix}${name}.`);
    const description = [field.description ?? '', field.default === undefined ? '' : `Default: \`${field.default}\`.`];
    return {
      name: prefix + name,
      type: schemaLink(field),
      required: object.required?.includes(name) ?? false,
      description: description.join(' ').trim(),
    };
  });
}

/** The schema itself, or the one that it refers to; of a choice, the object. */
export function resolved(schema: Schema, document: OpenApiDocument): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const found = name === undefined ? schema : ((document.components.schemas[name] ?? {}) as Schema);
  return found.anyOf?.find(({ properties }) => properties !== undefined) ?? found;
}

function withoutAbsentNull(schema: Schema): Schema {
  if (schema['x-null-means-absent'] === undefined) return schema;
  const { type, enum: values, anyOf, ...rest } = schema;
  return {
    ...rest,
    ...(type !== undefined && { type: [type].flat().filter((one) => one !== 'null') }),
    ...(values !== undefined && { enum: values.filter((one) => one !== null) }),
    ...(anyOf !== undefined && { anyOf: anyOf.filter((one) => one.type !== 'null') }),
  };
}

/** The type of a schema; a named one links to its fields. */
export function schemaLink(schema: Schema): Html {
  const { $ref, type, format, enum: values, const: value, anyOf, items } = withoutAbsentNull(schema);
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) as string;
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf !== undefined) return joined(anyOf.map(schemaLink), ' or ');
  if (value !== undefined) return html`<code>${JSON.stringify(value)}</code>`;
  if (values !== undefined) return codeList(values);
  if ([type].flat().includes('array')) return html`array of ${items === undefined ? 'any' : schemaLink(items)}`;
  return html`${[type ?? 'any'].flat().join(' or ')}${format !== undefined && ` (${format})`}`;
}

export function codeList(values: readonly unknown[]): Html {
  return joined(
    values.map((one) => html`<code>${String(one)}</code>`),
    ', ',
  );
}
