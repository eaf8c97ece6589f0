import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../../../core/principal.ts';
import { requireStepUp } from '../../../core/step-up.ts';

/** Invoices and pages tell payers with these whom they pay. */
export const toldToPayers = ['name', 'address', 'taxId'] as const;

/** Refuses (`step_up_required`) a change of one of the fields with which payers are told where their money goes. */
export function requireStepUpToChange<Field extends string>(
  fields: readonly Field[],
  before: Readonly<Record<Field, unknown>>,
  after: Readonly<Record<Field, unknown>>,
  principal: Principal,
  nowMs: number,
): void {
  if (fields.every((field) => isDeepStrictEqual(before[field], after[field]))) return;
  requireStepUp(principal, nowMs, 'Changing the name, address, tax number or mails of a seller');
}
