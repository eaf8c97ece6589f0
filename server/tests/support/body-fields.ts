/** The part of a JSON Schema that names fields. */
export interface BodyShape {
  $ref?: string;
  properties?: Record<string, unknown>;
  required?: string[];
}

interface Document {
  components: { schemas: Record<string, BodyShape> };
}

/** The schema of an operation's JSON body, which the document names; empty if it takes none. */
export function bodyShapeOf(
  { requestBody }: { requestBody?: { content: { 'application/json'?: { schema: BodyShape } } } },
  { components }: Document,
): BodyShape {
  const schema = requestBody?.content['application/json']?.schema ?? {};
  return schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) as string] ?? {});
}
