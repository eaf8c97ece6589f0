import type { Static } from 'typebox';
import { invalid, Refusal } from '../../../core/errors.ts';
import type { updateInput } from './schema.ts';
import { nextByUpdate, type TransactionStatus } from './states.ts';

type UpdateInput = Static<typeof updateInput>;

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
