import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { invalid, Refusal } from '../../vocabulary/errors.ts';
import type { updateInput } from './schema.ts';
import { nextByUpdate, type TransactionStatus } from './states.ts';

type UpdateInput = Static<typeof updateInput>;

const maximumMetadataBytes = 16 * 1024;
const maximumMetadataDepth = 8;

/** The metadata as the JSON it is kept as; refused when it is too large or too deep (decisions, Transactions). */
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

/** What makes two requests with one Idempotency-Key the same request: every field, in whatever order they were sent. */
export function requestHash(input: object): Buffer {
  return hash('sha256', canonicalJson(input), 'buffer');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** An update must ask for something, and a reason of failure belongs to a failure. */
export function demandMeaningfulUpdate(input: UpdateInput): void {
  const { status, description, metadata, failureCode, failureMessage } = input;
  if ([status, description, metadata, failureCode, failureMessage].every((field) => field === undefined)) {
    throw new Refusal('invalid_request', 'Name at least one field to change: status, description or metadata.');
  }
  if (status === 'FAILED') return;
  const stray = failureCode !== undefined ? 'failureCode' : failureMessage !== undefined ? 'failureMessage' : undefined;
  if (stray !== undefined) throw invalid(stray, `${stray} is only taken together with status FAILED.`);
}

/** Refuses a status that this payment cannot take by update. */
export function demandUpdatable(from: TransactionStatus, to: TransactionStatus, hasProvider: boolean): void {
  const allowed: readonly TransactionStatus[] = nextByUpdate[hasProvider ? 'withProvider' : 'withoutProvider'][from];
  if (allowed.includes(to)) return;
  const reachable = allowed.length > 0 ? `it can become ${allowed.join(' or ')}` : 'no update moves it any further';
  const because = hasProvider ? " by update, since its channel's provider says what becomes of it" : '';
  throw new Refusal(
    'illegal_transition',
    `A transaction that is ${from} cannot become ${to}${because}; ${reachable}.`,
    {
      field: 'status',
      details: { from, to, allowed },
    },
  );
}
