import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';
import { Dialog } from '../forms/dialog.tsx';
import { CodeBlock } from './copy.tsx';

interface SecretLinkProps {
  title: string;
  hint: string;
  /** Undefined: nothing to show. */
  url: string | undefined;
  onClose: () => void;
}

/** Shows a link for a payer, which works without a login. */
export function SecretLink({ title, hint, url, onClose }: SecretLinkProps) {
  return (
    <Dialog opened={url !== undefined} onClose={onClose} title={title} size="lg">
      <PayerLink hint={hint} url={url ?? ''} onDone={onClose} />
    </Dialog>
  );
}

/** The content of a dialog that shows a link for a payer. */
export function PayerLink({ hint, url, onDone }: { hint: string; url: string; onDone: () => void }) {
  const text = useText();
  return (
    <Stack gap="sm">
      <Text size="sm">{hint}</Text>
      <CodeBlock value={url} />
      <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
        {text('checkouts.open')}
      </Anchor>
      <Button onClick={onDone} w="fit-content">
        {text('common.done')}
      </Button>
    </Stack>
  );
}
