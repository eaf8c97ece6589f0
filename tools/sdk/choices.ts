import { declaredOpenApi } from '@florin/server/app/openapi/document.ts';
import { failureCodes } from '@florin/server/domains/payments/providers/failures.ts';
import { methodName, typeName } from '@florin/server/platform/http/openapi/client-names.ts';
import type { OpenApiDocument, OpenApiOperation, Schema } from './document.ts';

const header = '// Generated from the OpenAPI document by `npm run docs`. Do not edit.\n';

/**
 * The values of each parameter that is an enumeration, for the filters and selects of the console, in the order of the
 * document: `transactionsListStatus` are those of `status` of `transactions.list`.
 */
export function choicesFile(): string {
  const { paths, components } = declaredOpenApi() as unknown as OpenApiDocument;
  const resolve = (schema: Schema = {}): Schema =>
    schema.$ref === undefined ? schema : resolve(components?.schemas?.[schema.$ref.split('/').at(-1) as string]);
  const lists = Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : listsOf(methodName('GET', path), get, resolve)),
    ...(post === undefined ? [] : listsOf(methodName('POST', path), post, resolve)),
  ]);
  return `${header}\n${lists.join('\n')}\n${failureSentences()}`;
}

/** What the service says for each failure, by which the console knows words of a provider. */
function failureSentences(): string {
  const lines = Object.entries(failureCodes).map(([code, { message }]) => `  ${code}: ${JSON.stringify(message)},\n`);
  return `export const failureSentences: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`;
}

function listsOf(method: string, operation: OpenApiOperation, resolve: (schema?: Schema) => Schema): string[] {
  const body = resolve(operation.requestBody?.content['application/json']?.schema).properties ?? {};
  const query = (operation.parameters ?? []).map(({ name, schema }) => [name, schema] as const);
  return [...query, ...Object.entries(body)].flatMap(([name, schema]) => {
    const values = resolve(schema).enum?.filter((value) => typeof value === 'string') ?? [];
    return values.length === 0 ? [] : [listOf(`${lowerFirst(typeName(method))}${upperFirst(name)}`, values)];
  });
}

function listOf(name: string, values: readonly string[]): string {
  return `export const ${name} = [\n${values.map((value) => `  '${value}',\n`).join('')}] as const;\n`;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
