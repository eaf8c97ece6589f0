import { expect, test } from 'vitest';
import { pageStory } from './page-story.ts';

const story = pageStory('disputes');

test('the story of a dispute, pasted in order, ends with the dispute won', async () => {
  const script = story.snippets
    .map((commands) => `${commands}\necho`)
    .join('\n')
    // Each answer has a line of its own.
    .replaceAll(/^(curl -s [\s\S]*?)(?=\n(?:curl|printf|until|echo|$))/gm, '$1; echo');
  const printed = await story.paste(script);
  const answers = printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const [refused, drafted, file, submitted, events, timeline, dispute] = answers;
  expect(refused.error.type).toBe('payment_disputed');
  expect(drafted.data.evidence.texts.explanation).toContain('winning_evidence');
  expect(file.data).toMatchObject({ name: 'receipt', type: 'application/pdf' });
  expect(submitted.data.answers).toMatchObject([{ kind: 'SUBMIT' }]);
  const types = events.data.map(({ type }: { type: string }) => type).toReversed();
  expect(types).toEqual(
    ['created', 'funds_withdrawn', 'updated', 'funds_reinstated', 'won'].map((word) => `dispute.${word}`),
  );
  expect(timeline.data.at(-1)).toMatchObject({ type: 'dispute_won' });
  expect(dispute.data).toMatchObject({ status: 'WON', amountWithdrawn: 0, answers: [{ state: 'SUCCEEDED' }] });
});
