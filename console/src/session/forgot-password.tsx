import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../api/client.ts';
import { useText } from '../shell/preferences.tsx';
import { Refusal } from './refusal.tsx';

/** Asks for a mail with a link. The answer is the same for every address. */
export function ForgotPassword({ onBack }: { onBack: () => void }) {
  const text = useText();
  const [answer, setAnswer] = useState<ReactNode>();
  const [isBusy, setIsBusy] = useState(false);

  async function request(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get('email'));
    setIsBusy(true);
    const refused = await call('users.forgotPassword', { email }).then(
      () => undefined,
      (error: Error) => <Refusal error={error} />,
    );
    setAnswer(refused ?? text('forgot.sent'));
    setIsBusy(false);
  }

  return (
    <form onSubmit={request}>
      <Stack gap="md">
        <Text size="sm">{text('forgot.hint')}</Text>
        <TextInput name="email" type="email" label={text('forgot.email')} size="md" required autoFocus />
        <Text size="sm" role="status">
          {answer}
        </Text>
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {text('forgot.submit')}
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          {text('forgot.back')}
        </Anchor>
      </Stack>
    </form>
  );
}
