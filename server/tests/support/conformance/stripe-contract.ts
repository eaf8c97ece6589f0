import { documentsFolder, readDocument } from './documents.ts';
import { OpenApiContract, type OpenApiDocument } from './openapi-contract.ts';

let loaded: OpenApiContract | undefined;

/** Stripe's API as its published document describes it; undefined where that is absent. */
export function stripeContract(): OpenApiContract | undefined {
  if (documentsFolder === undefined) return undefined;
  loaded ??= new OpenApiContract(readDocument<OpenApiDocument>('stripe-2026-08-26.dahlia.json'), {
    errorSchema: 'error',
  });
  return loaded;
}

/** Objects as Stripe answers them, by their name. */
export function stripeFixtures(): Record<string, Record<string, unknown>> {
  return readDocument<{ resources: Record<string, Record<string, unknown>> }>('stripe-fixtures.json').resources;
}

interface FormTree {
  [name: string]: string | FormTree;
}

/**
 * The parameters of a form as JSON: `expand[0]=a` is a tree with the name `0`, and an array in the document. Numbers
 * and booleans stay text, which the validation of requests reads.
 */
export function jsonOfForm(tree: FormTree | string): unknown {
  if (typeof tree === 'string') return tree;
  const entries = Object.entries(tree).map(([name, value]) => [name, jsonOfForm(value)] as const);
  const isArray = entries.length > 0 && entries.every(([name], at) => name === `${at}`);
  return isArray ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}
