import { expect, test } from 'vitest';
import { pageStory } from './page-story.ts';

const story = pageStory('captures');

test('the story of captures, pasted in order: two parcels, a void, and an invoice that a capture pays', async () => {
  const printed = await story.paste(story.snippets.map((commands) => `${commands}\necho`).join('\n'));
  const invoice = JSON.parse(printed.slice(printed.lastIndexOf('{"code"'))).data;
  expect(invoice).toMatchObject({ status: 'PAID', amountPaid: 12_000 });
  const payments = await story.db.query(
    'select status, amount, amount_captured as captured from transaction order by created_at',
  );
  expect(payments).toEqual([
    { status: 'SUCCESS', amount: 9_000, captured: 4_000 },
    { status: 'CANCELLED', amount: 2_500, captured: 0 },
    { status: 'SUCCESS', amount: 12_000, captured: 12_000 },
  ]);
});
