import type { DisputeDetail } from '../../api/client.ts';
import { usePreferences } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';

export type EvidenceField = DisputeDetail['evidenceFields'][number];

/** The words for a field; one that is not known here by its name at the provider. */
export function useFieldLabel(): (name: string) => string {
  const { texts } = usePreferences();
  return (name) => texts[`evidence.${name}` as TextKey] ?? name.replaceAll('_', ' ');
}

/** What is required and not there yet. */
export function missingFields({ evidenceFields, evidence }: DisputeDetail): EvidenceField[] {
  const given = new Set([...Object.keys(evidence.texts), ...evidence.files.map(({ name }) => name)]);
  return evidenceFields.filter(({ name, required }) => required && !given.has(name));
}

export const isEmpty = ({ evidence }: DisputeDetail) =>
  Object.keys(evidence.texts).length === 0 && evidence.files.length === 0;
