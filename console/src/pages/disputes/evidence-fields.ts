import type { DisputeDetail } from '../../api/client.ts';

export type EvidenceField = DisputeDetail['evidenceFields'][number];

/** The provider's name of a field, in words: `shipping_documentation` is "Shipping documentation". */
export function fieldLabel(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is required and not there yet. */
export function missingFields({ evidenceFields, evidence }: DisputeDetail): EvidenceField[] {
  const given = new Set([...Object.keys(evidence.texts), ...evidence.files.map(({ name }) => name)]);
  return evidenceFields.filter(({ name, required }) => required && !given.has(name));
}

export const isEmpty = ({ evidence }: DisputeDetail) =>
  Object.keys(evidence.texts).length === 0 && evidence.files.length === 0;
