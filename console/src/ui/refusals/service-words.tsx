import { useText } from '../../shell/preferences.tsx';
import { FilledText } from './filled-text.tsx';

/** What the service or a provider says for which the console has no words: as it came, and marked. */
export function ServiceWords({ by, words }: { by: 'service' | 'provider'; words: string }) {
  const text = useText();
  return (
    <FilledText
      text={text(by === 'service' ? 'said.service' : 'said.provider', { words: '{words}' })}
      elementOf={() => (
        <q lang="" style={{ overflowWrap: 'anywhere' }}>
          {words}
        </q>
      )}
    />
  );
}
