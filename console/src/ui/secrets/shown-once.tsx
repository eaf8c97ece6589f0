import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../shell/preferences.tsx';
import { Dialog } from '../forms/dialog.tsx';
import { CodeBlock } from './copy.tsx';

interface ShownOnceProps {
  title: string;
  hint: string;
  /** Undefined: nothing to show. */
  value: string | undefined;
  onClose: () => void;
}

/** Shows a secret that the service returns only once. Closes only after the user has confirmed that it is stored. */
export function ShownOnce({ title, hint, value, onClose }: ShownOnceProps) {
  const text = useText();
  const [isKept, setIsKept] = useState(false);
  const close = () => {
    setIsKept(false);
    onClose();
  };
  return (
    <Dialog
      opened={value !== undefined}
      onClose={close}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="sm">
        <Text size="sm">{hint}</Text>
        <CodeBlock value={value ?? ''} />
        <Checkbox
          label={text('secret.kept')}
          checked={isKept}
          onChange={({ currentTarget }) => setIsKept(currentTarget.checked)}
        />
        <Button disabled={!isKept} onClick={close} w="fit-content">
          {text('common.done')}
        </Button>
      </Stack>
    </Dialog>
  );
}
