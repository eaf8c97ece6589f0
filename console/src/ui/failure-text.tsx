import { Code } from '@mantine/core';
import { failureSentences } from '../api/choices.ts';
import { usePreferences } from '../shell/preferences.tsx';
import type { TextKey } from '../text/texts.ts';
import { ServiceWords } from './refusals/service-words.tsx';

interface FailureTextProps {
  code: string | null | undefined;
  /** The provider's own words, or the sentence of the service for the code. */
  message?: string | null | undefined;
}

/** Why a payment, a refund or a capture failed; what a provider says or a code without words is shown as it came. */
export function FailureText({ code, message }: FailureTextProps) {
  const { texts } = usePreferences();
  if (!code) return null;
  const words = texts[`failure.${code}` as TextKey] ?? texts[`refusal.${code}` as TextKey];
  const isOurs = message === failureSentences[code];
  return (
    <>
      {words ?? <Code>{code}</Code>}
      {message && !isOurs && (
        <>
          {' '}
          <ServiceWords by={code in failureSentences ? 'provider' : 'service'} words={message} />
        </>
      )}
    </>
  );
}
