import { everyStep, reports } from '@florin/server/tests/payments/every-step.ts';
import { expect, test } from 'vitest';
import { wordsOf } from '../src/pages/payments/step-words.ts';
import { en } from '../src/text/en.ts';

const texts: Readonly<Record<string, string>> = en;
const steps = everyStep();

test('the console has words for every step that a timeline can show, and for nothing else', () => {
  const shown = new Set(steps.map(wordsOf));
  expect([...shown].filter((key) => !(key in texts))).toEqual([]);
  const known = Object.keys(texts).filter((key) => key.startsWith('step.') && key !== 'step.theProvider');
  expect(known.filter((key) => !shown.has(key))).toEqual([]);
});

test('every step has the facts that its words name', () => {
  const missing = steps.flatMap((step) => {
    const { detail = {}, type } = step;
    const places = [...(texts[wordsOf(step)] ?? '').matchAll(/\{(\w+)\}/g)].map(([, place]) => place as string);
    return places.filter((place) => !hasWords[place]?.(detail)).map((place) => `${type}: ${place}`);
  });
  expect([...new Set(missing)]).toEqual([]);
});

/** What fills a place of the words, as `StepText` does. */
const hasWords: Readonly<Record<string, (detail: Record<string, unknown>) => boolean>> = {
  about: ({ about = 'PAYMENT' }) => `about.${about}` in texts,
  mode: ({ livemode }) => typeof livemode === 'boolean',
  money: ({ amount, currency }) => typeof amount === 'number' && typeof currency === 'string',
  n: ({ shown }) => typeof shown === 'number',
  note: ({ note }) => typeof note === 'string',
  provider: () => true,
  reason: ({ reason }) => `disputes.reason.${reason}` in texts,
  said: ({ said }) => `reported.${said}` in texts,
  to: ({ to }) => `status.${to}` in texts,
  user: ({ userId }) => typeof userId === 'number',
};

test('every report of a provider has a word', () => {
  const known = Object.keys(texts).flatMap((key) =>
    key.startsWith('reported.') ? [key.slice('reported.'.length)] : [],
  );
  expect(known.sort()).toEqual([...reports].sort());
});
