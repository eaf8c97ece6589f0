import { invalid } from './errors.ts';

const maximumMetadataBytes = 16 * 1024;
const maximumMetadataDepth = 8;

/** The metadata as JSON to store; refused when it is too large or too deep (decisions, Transactions). */
export function metadataJson(metadata: object | undefined): string | null {
  if (metadata === undefined) return null;
  const json = JSON.stringify(metadata);
  if (Buffer.byteLength(json) > maximumMetadataBytes) {
    throw invalid('metadata', 'metadata must be at most 16 KiB of JSON.');
  }
  if (depthOf(metadata) > maximumMetadataDepth) {
    throw invalid('metadata', `metadata must be nested at most ${maximumMetadataDepth} levels.`);
  }
  return json;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner));
  return 1 + deepest;
}
