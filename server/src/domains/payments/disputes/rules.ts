import { invalid, Refusal } from '../../../core/errors.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
import type { DisputeAction, EvidenceField } from '../providers/dispute.ts';
import type { AnswerRow } from './answer-statements.ts';
import type { DisputeRow, DraftEvidence } from './record.ts';

/** Refuses (`dispute_not_answerable`) what the provider does not take now. */
export function requireAnswerable(
  row: DisputeRow,
  answers: readonly (Pick<AnswerRow, 'kind' | 'stage' | 'state'> & { finished_at: string | null })[],
  action: DisputeAction,
): void {
  if (row.status !== 'OPEN') throw notAnswerable(row, rule('dispute_not_open', { status: row.status }));
  if (answers.some(({ finished_at }) => finished_at === null)) {
    throw notAnswerable(row, rule('dispute_answer_under_way'));
  }
  if (answers.some(({ kind, stage, state }) => kind === 'SUBMIT' && stage === row.stage && state === 'SUCCEEDED')) {
    throw notAnswerable(row, rule('dispute_evidence_submitted'));
  }
  if (!row.actions.includes(action)) throw notAnswerable(row, rule('dispute_action', { action }));
}

function notAnswerable({ status, stage }: DisputeRow, broken: BrokenRule): Refusal {
  return new Refusal('dispute_not_answerable', broken, {
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
  const given = name.slice(0, 100);
  throw invalid(
    at,
    names.length === 0
      ? rule('evidence_none', { kind, given })
      : rule('evidence_name', { kind, given, allowed: names }),
  );
}

/** Refuses evidence that lacks what is required, or a defense reason that the provider does not take. */
export function requireComplete(row: DisputeRow, evidence: DraftEvidence, defenseReason: string | undefined): void {
  const fields = row.evidence_fields as EvidenceField[];
  const missing = fields.filter(({ name, required }) => required && evidence[name] === undefined);
  if (missing.length > 0) {
    throw invalid('id', rule('evidence_missing', { missing: missing.map(({ name }) => name) }));
  }
  if (Object.keys(evidence).length === 0) throw invalid('id', rule('no_evidence'));
  const reasons = row.defense_reasons;
  if (defenseReason === undefined && reasons.length === 0) return;
  if (defenseReason !== undefined && reasons.includes(defenseReason)) return;
  throw invalid(
    'defenseReason',
    reasons.length === 0 ? rule('no_defense_reason') : rule('one_of', { allowed: reasons }),
  );
}
