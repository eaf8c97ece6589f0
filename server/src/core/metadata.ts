import { invalid } from './errors.ts';
import { rule } from './refusal-rules.ts';

const maximumMetadataBytes = 16 * 1024;
const maximumMetadataDepth = 8;
export const maximumMetadataKeys = 50;

/** The metadata as JSON to store; refused when it is too large or too deep (docs/decisions/payments-and-repeats.md). */
export function metadataJson(metadata: object | undefined, field = 'metadata'): string | null {
  if (metadata === undefined) return null;
  const json = JSON.stringify(metadata);
  // A character has at most three bytes.
  if (3 * json.length > maximumMetadataBytes && Buffer.byteLength(json) > maximumMetadataBytes) {
    throw invalid(field, rule('json_size'));
  }
  if (depthOf(metadata) > maximumMetadataDepth) {
    throw invalid(field, rule('json_depth', { limit: maximumMetadataDepth }));
  }
  return json;
}

export type Metadata = Record<string, unknown>;

/** A change of metadata in an update; the two fields exclude each other. */
export interface MetadataChange {
  /** Keys to set; null deletes a key. */
  metadata?: object | undefined;
  /** The new metadata, as a whole. */
  metadataReplace?: object | undefined;
}

/**
 * The metadata after an update; undefined if it is unchanged. Refuses what `metadataJson` refuses, and more than 50
 * keys.
 */
export function changedMetadata(before: Metadata | null, change: MetadataChange): Metadata | undefined {
  const { metadata, metadataReplace } = change;
  refuseBothWays(change);
  if (metadataReplace !== undefined) {
    metadataJson(metadataReplace, 'metadataReplace');
    return metadataReplace as Metadata;
  }
  if (metadata === undefined) return undefined;
  const merged = Object.entries({ ...before, ...metadata }).filter(([key, value]) => !isDeleted(key, value, metadata));
  if (merged.length > maximumMetadataKeys) {
    throw invalid('metadata', rule('metadata_keys', { limit: maximumMetadataKeys }));
  }
  const after = Object.fromEntries(merged);
  metadataJson(after);
  return after;
}

function isDeleted(key: string, value: unknown, given: object): boolean {
  return value === null && Object.hasOwn(given, key);
}

export function refuseBothWays({ metadata, metadataReplace }: MetadataChange): void {
  if (metadata === undefined || metadataReplace === undefined) return;
  throw invalid('metadataReplace', rule('metadata_twice'));
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  // Values that were parsed inherit nothing that can be enumerated.
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object') deepest = Math.max(deepest, depthOf(inner));
  }
  return 1 + deepest;
}
