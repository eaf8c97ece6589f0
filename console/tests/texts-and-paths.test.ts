import { consolePages } from '@florin/server/app/http/console/pages.ts';
import { disputeReasons, disputeStages } from '@florin/server/domains/payments/providers/dispute.ts';
import { failureCodes, retries } from '@florin/server/domains/payments/providers/failures.ts';
import { methodTypes } from '@florin/server/domains/payments/providers/kept-method.ts';
import { evidenceFields as ofSandbox } from '@florin/server/domains/payments/providers/sandbox/dispute-script.ts';
import { appealEvidence, evidence } from '@florin/server/domains/payments/providers/stripe/dispute-vocabulary.ts';
import { expect, test } from 'vitest';
import { pagePaths } from '../src/shell/page-paths.ts';
import { de } from '../src/text/de.ts';
import { en } from '../src/text/en.ts';

test('the server knows exactly the paths of the pages', () => {
  const firstParts = pagePaths.map((path) => path.split('/')[1] as string).filter((part) => part !== '');
  expect(['test', ...new Set(firstParts)].sort()).toEqual([...consolePages].sort());
});

test('both languages have the same texts, with the same places for values', () => {
  expect(Object.keys(de)).toEqual(Object.keys(en));
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
  for (const [key, text] of Object.entries(en)) expect(places(de[key as keyof typeof de]), key).toEqual(places(text));
});

test('every failure, retry, type of payment method, reason, stage and evidence of a dispute has its words', () => {
  const named = (group: string) =>
    Object.keys(en).flatMap((key) => (key.startsWith(`${group}.`) ? [key.slice(group.length + 1)] : []));
  expect(named('failure').sort()).toEqual(Object.keys(failureCodes).sort());
  expect(named('retry')).toEqual([...retries]);
  expect(named('methodType')).toEqual([...methodTypes]);
  expect(named('disputes.reason')).toEqual([...disputeReasons]);
  expect(named('disputes.stage')).toEqual([...disputeStages]);
  const taken = Object.entries({ ...evidence, ...appealEvidence }).filter(([, kind]) => !('ignored' in kind));
  const fields = new Set([...taken, ...ofSandbox.map(({ name }) => [name])].map(([name]) => name));
  expect(named('evidence').sort()).toEqual([...fields].sort());
});
