import { TextInput } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';
import type { ErrorOf, Fields } from './form-modal.tsx';

const parts = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const;

interface AddressFieldsProps {
  address: Record<string, unknown> | null | undefined;
  errorOf: ErrorOf;
}

/** The parts of a postal address; `addressOf` reads them. */
export function AddressFields({ address, errorOf }: AddressFieldsProps) {
  const text = useText();
  return parts.map((part) => (
    <TextInput
      key={part}
      name={part}
      label={text(`address.${part}`)}
      defaultValue={String(address?.[part] ?? '')}
      error={errorOf(`address.${part}`)}
    />
  ));
}

/** null if every part is empty. */
export function addressOf(fields: Fields): Record<string, string> | null {
  const filled = parts.flatMap((part) => {
    const value = part === 'country' ? fields[part]?.toUpperCase() : fields[part];
    return value ? [[part, value] as const] : [];
  });
  return filled.length === 0 ? null : Object.fromEntries(filled);
}
