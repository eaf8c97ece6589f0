import { Anchor, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useText } from '../../shell/preferences.tsx';
import { PasswordField } from '../../ui/forms/password-field.tsx';

interface SecretFieldProps {
  name: 'apiKey' | 'apiSecret' | 'webhookSecret';
  isNew: boolean;
  error: ReactNode;
}

/** A secret that the service never shows. It is kept or replaced. */
export function SecretField({ name, isNew, error }: SecretFieldProps) {
  const text = useText();
  const [isReplaced, setIsReplaced] = useState(isNew);
  const label = text(`channels.${name}`);
  if (!isReplaced) {
    return (
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm" c="dimmed">
          {text('channels.secretKept')}
        </Text>
        <Anchor component="button" type="button" size="sm" onClick={() => setIsReplaced(true)}>
          {text('channels.replace')}
        </Anchor>
      </Group>
    );
  }
  return <PasswordField name={name} label={label} autoComplete="new-password" error={error} />;
}
