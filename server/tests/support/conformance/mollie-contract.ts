import { documentsFolder, readDocument } from './documents.ts';
import { OpenApiContract, type OpenApiDocument } from './openapi-contract.ts';

let loaded: OpenApiContract | undefined;

/** Mollie's API as its published document describes it; undefined where that is absent. */
export function mollieContract(): OpenApiContract | undefined {
  if (documentsFolder === undefined) return undefined;
  loaded ??= new OpenApiContract(corrected(readDocument<OpenApiDocument>('mollie.yaml')), {
    errorSchema: 'error-response',
  });
  return loaded;
}

/**
 * The document lists `redirectUrl` as required, and says in its description that recurring payments go without it. The
 * simulator enforces both.
 */
function corrected(document: OpenApiDocument): OpenApiDocument {
  const request = document.components.schemas?.['payment-request'] as { allOf: { required?: string[] }[] };
  for (const part of request.allOf) part.required = part.required?.filter((name) => name !== 'redirectUrl') ?? [];
  return document;
}
