import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Refusal, type RefusalType, refusalTypes } from '../../../core/errors.ts';
import { statusOf } from '../refusal-reply.ts';

const page = readFileSync(new URL('../../../../../docs/reference/errors.md', import.meta.url), 'utf8');
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n', 1)[0], section]),
);

test('the page of refusals explains exactly the words of the catalogue', () => {
  expect([...sections.keys()].sort()).toEqual(Object.keys(refusalTypes).sort());
});

test.each(Object.keys(refusalTypes) as RefusalType[])(
  '%s stands there with the status it is answered with, and what to do next',
  (type) => {
    const section = sections.get(type) ?? '';
    expect(/^HTTP (\d{3})\./m.exec(section)?.[1]).toBe(String(statusOf(new Refusal(type, ''))));
    expect(section).toMatch(/^\*Next:\* \S/m);
  },
);
