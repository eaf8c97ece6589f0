import { Text, TextInput } from '@mantine/core';
import type { DeveloperKey } from '../../api/client.ts';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';

/** The user must type the last four characters of the key, because revoking it cannot be undone. */
export function RevokeKeyModal({ revoked, onClose }: { revoked: DeveloperKey | undefined; onClose: () => void }) {
  const text = useText();
  const last = revoked?.skMasked.slice(-4) ?? '';
  return (
    <FormModal
      title={text('keys.revokeTitle')}
      submit={text('keys.revoke')}
      isDangerous
      opened={revoked !== undefined}
      onClose={onClose}
      operation="keys.revoke"
      bodyOf={() => ({ id: revoked?.id })}
    >
      <Text size="sm">{text('keys.revokeHint')}</Text>
      <TextInput
        label={text('keys.typeLast', { last })}
        pattern={last}
        title={last}
        autoComplete="off"
        required
        data-autofocus
      />
    </FormModal>
  );
}
