/** The part of OpenAPI 3.1 that the document of Florin uses. */
export interface OpenApiDocument {
  paths: Record<string, Partial<Record<'get' | 'post', OpenApiOperation>>>;
  components?: { schemas?: Record<string, Schema> };
  webhooks: Record<string, { post: OpenApiOperation }>;
}

export interface OpenApiOperation {
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: {
    name: string;
    in: 'query' | 'path' | 'header';
    required?: boolean;
    schema: Schema;
    description?: string;
  }[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** The part of JSON Schema that the routes use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  maxProperties?: number;
  description?: string;
}
