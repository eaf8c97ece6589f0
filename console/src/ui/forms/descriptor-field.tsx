import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../shell/preferences.tsx';

interface DescriptorFieldProps {
  descriptor: string | null | undefined;
  error: ReactNode;
}

/** What payers read on their statements. Left empty, it is null. */
export function DescriptorField({ descriptor, error }: DescriptorFieldProps) {
  const text = useText();
  return (
    <TextInput
      name="statementDescriptor"
      label={text('common.statementDescriptor')}
      description={text('common.statementDescriptorHint')}
      defaultValue={descriptor ?? ''}
      minLength={5}
      maxLength={22}
      error={error}
    />
  );
}
