import { documentsFolder, readDocument } from './documents.ts';
import { OpenApiContract, type OpenApiDocument } from './openapi-contract.ts';

let loaded: OpenApiContract | undefined;

/** Mollie's API as its published document describes it; undefined where that is absent. */
export function mollieContract(): OpenApiContract | undefined {
  if (documentsFolder === undefined) return undefined;
  loaded ??= new OpenApiContract(readDocument<OpenApiDocument>('mollie.yaml'), { errorSchema: 'error-response' });
  return loaded;
}
