import { invalid, Refusal } from '../../../core/errors.ts';
import type { DisputeAction, EvidenceField } from '../providers/dispute.ts';
import type { AnswerRow } from './answer-statements.ts';
import type { DisputeRow, DraftEvidence } from './record.ts';

/** Refuses (`dispute_not_answerable`) what the provider does not take now. */
export function requireAnswerable(
  row: DisputeRow,
  answers: readonly (Pick<AnswerRow, 'kind' | 'stage' | 'state'> & { finished_at: string | null })[],
  action: DisputeAction,
): void {
  if (row.status !== 'OPEN') throw notAnswerable(row, `It is ${row.status}.`);
  if (answers.some(({ finished_at }) => finished_at === null)) {
    throw notAnswerable(row, 'An answer is on its way to the provider.');
  }
  if (answers.some(({ kind, stage, state }) => kind === 'SUBMIT' && stage === row.stage && state === 'SUCCEEDED')) {
    throw notAnswerable(row, 'Evidence was submitted at this stage.');
  }
  if (!row.actions.includes(action)) throw notAnswerable(row, `The provider does not take ${action} of it.`);
}

function notAnswerable({ status, stage }: DisputeRow, reason: string): Refusal {
  return new Refusal('dispute_not_answerable', `This dispute cannot be answered so. ${reason}`, {
    field: 'id',
    details: { status, stage },
  });
}

/** The field of the evidence with this name, of this kind. Refuses another name, naming `at`. */
export function fieldOf(row: DisputeRow, name: string, kind: EvidenceField['kind'], at: string): EvidenceField {
  const fields = row.evidence_fields as EvidenceField[];
  const field = fields.find((one) => one.name === name);
  if (field?.kind === kind) return field;
  const names = fields.filter((one) => one.kind === kind).map((one) => one.name);
  const taken = names.length === 0 ? 'takes none' : `takes ${names.join(', ')}`;
  throw invalid(at, `The provider takes no ${kind} of the name ${JSON.stringify(name.slice(0, 100))}: it ${taken}.`);
}

/** Refuses evidence that lacks what is required, or a defense reason that the provider does not take. */
export function requireComplete(row: DisputeRow, evidence: DraftEvidence, defenseReason: string | undefined): void {
  const fields = row.evidence_fields as EvidenceField[];
  const missing = fields.filter(({ name, required }) => required && evidence[name] === undefined);
  if (missing.length > 0) {
    throw invalid('id', `Evidence is missing: ${missing.map(({ name }) => name).join(', ')}.`);
  }
  if (Object.keys(evidence).length === 0) throw invalid('id', 'There is no evidence to submit.');
  const reasons = row.defense_reasons;
  if (defenseReason === undefined && reasons.length === 0) return;
  if (defenseReason !== undefined && reasons.includes(defenseReason)) return;
  const known = reasons.length === 0 ? 'the provider takes none' : `it must be one of ${reasons.join(', ')}`;
  throw invalid('defenseReason', `defenseReason: ${known}.`);
}
