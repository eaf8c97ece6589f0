import { globSync, readFileSync } from 'node:fs';
import { modules } from '@florin/server/app/modules.ts';
import { refusalTypes } from '@florin/server/core/errors.ts';
import { ruleOfTitle, rules } from '@florin/server/core/refusal-rules.ts';
import { auditActions } from '@florin/server/domains/identity/audit/actions.ts';
import { expect, test } from 'vitest';
import { en } from '../src/text/en.ts';

const sources = new URL('../../server/src/', import.meta.url);
const consoleSources = new URL('../src/', import.meta.url);
const texts: Readonly<Record<string, string>> = en;

/** Only programs get these, and their developers read them in the language of the reference. */
const ofPrograms: ReadonlySet<string> = new Set(['callback_invalid']);

/** They pass on the message and the details of another refusal. */
const passingOn: ReadonlySet<string> = new Set([
  'core/errors.ts',
  'domains/billing/checkouts/create.ts',
  'domains/identity/sessions/shared-attempts.ts',
]);

test('every place that refuses gives a rule with values, or has the only sentence of its type', () => {
  const sentences = new Map<string, Set<string>>();
  const wrong = placesThatRefuse().filter(({ file, source, type, said }) => {
    if (ofPrograms.has(type) || (passingOn.has(file) && said.includes('message'))) return false;
    if (/^(['"]).*\1$/s.test(said) && type !== 'invalid_request') {
      sentences.set(type, (sentences.get(type) ?? new Set()).add(said));
      return false;
    }
    return !makesRule(said, source);
  });
  expect(wrong.map(({ file, said }) => `${file}: ${said}`)).toEqual([]);
  for (const [type, said] of sentences) {
    expect([...said], type).toHaveLength(1);
    expect(texts, type).toHaveProperty([`refusal.${type}`]);
  }
});

test('what a schema requires in words is a rule', () => {
  const titles = modules.flatMap(({ routes = [] }) => titlesIn(routes));
  expect(titles.length).toBeGreaterThan(50);
  expect([...new Set(titles)].filter((title) => ruleOfTitle(title) === undefined)).toEqual([]);
});

test('the console says of each rule all that the service says', () => {
  for (const [name, sentence] of Object.entries(rules)) {
    // Its dialog is about what needs the step-up.
    if (name === 'step_up') continue;
    expect(placesIn(texts[`rule.${name}`] ?? ''), name).toEqual(
      placesIn(sentence).filter((place) => place !== 'currency' || !isUnit(sentence)),
    );
  }
  const ruleNames = Object.keys(texts).flatMap((key) => (key.startsWith('rule.') ? [key.slice('rule.'.length)] : []));
  expect(ruleNames.filter((name) => !(name in rules))).toEqual([]);
});

test('no page shows the sentence of an error itself', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: consoleSources }).filter((file) => !file.startsWith('ui/refusals/'));
  const showing = files.flatMap((file) => {
    const source = readFileSync(new URL(file, consoleSources), 'utf8');
    return [...source.matchAll(/\b(\w*(?:error|refus|caught|fail)\w*)\??\.message\b/gi)].map(
      ([shown]) => `${file}: ${shown}`,
    );
  });
  expect(showing.filter((one) => one !== asItCame)).toEqual([]);
});

/** The request log shows the sentence as the program got it, and marks it. */
const asItCame = 'pages/requests/request-page.tsx: error.message';

test('the console has words only for types of refusals that exist, and for every action of the audit log', () => {
  const named = (group: string) =>
    Object.keys(texts).flatMap((key) => (key.startsWith(`${group}.`) ? [key.slice(group.length + 1)] : []));
  expect(named('refusal').filter((type) => !(type in refusalTypes))).toEqual([]);
  expect(named('auditAction').sort()).toEqual(Object.keys(auditActions).sort());
});

/** "minor units of EUR": the console shows the amounts themselves with their currency. */
const isUnit = (sentence: string) => sentence.includes('minor units of {currency}');

const placesIn = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, place]) => place as string))].sort();

interface Place {
  file: string;
  source: string;
  type: string;
  /** The argument that says what is wrong. */
  said: string;
}

/** The calls that make a refusal, in all sources of the service. */
function placesThatRefuse(): Place[] {
  const files = globSync('**/*.ts', { cwd: sources }).filter(
    (file) => !/\.(test|process|drill|browser)\.ts$/.test(file),
  );
  return files.flatMap((file) => {
    const source = readFileSync(new URL(file, sources), 'utf8');
    return [...source.matchAll(/\b(?:new Refusal|invalid)\(/g)].flatMap((match): Place[] => {
      if (/function $/.test(source.slice(0, match.index))) return [];
      const [first = '', second = ''] = argumentsAt(source, match.index + match[0].length);
      const type = match[0] === 'invalid(' ? 'invalid_request' : first.replaceAll(/['"]/g, '');
      // `new Refusal(type, '')` reads the kind of a type.
      if (second === "''" || first === '') return [];
      return [{ file: file.replaceAll('\\', '/'), source, type, said: literalOf(second, source) }];
    });
  });
}

/** The texts of the arguments of a call, from behind its parenthesis. */
function argumentsAt(source: string, start: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let begin = start;
  for (let i = start; i < source.length; i++) {
    const sign = source[i] as string;
    if (`'"\``.includes(sign)) i = endOfQuoted(source, i);
    else if ('([{'.includes(sign)) depth++;
    else if (depth > 0 && ')]}'.includes(sign)) depth--;
    else if (depth === 0 && ',)'.includes(sign)) {
      found.push(source.slice(begin, i).trim());
      begin = i + 1;
      if (sign === ')') return found;
    }
  }
  return found;
}

function endOfQuoted(source: string, start: number): number {
  for (let i = start + 1; ; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === source[start] || i >= source.length) return i;
  }
}

/** The sentence that a constant of the file holds; otherwise the expression itself. */
function literalOf(said: string, source: string): string {
  return new RegExp(`const ${said} =\\s+('[^']*');`).exec(source)?.[1] ?? said;
}

/** Whether an expression is a rule: made here, made by a function of the file, or a parameter that must be one. */
function makesRule(said: string, source: string): boolean {
  return [...said.matchAll(/\w+/g)].some(
    ([name]) =>
      name === 'rule' ||
      [
        `const ${name} =[^;]*\\b(rule|ruleOf\\w*|problemOf\\w+)\\(`,
        `\\b${name}: BrokenRule`,
        `function ${name}\\([^)]*\\): BrokenRule`,
      ].some((form) => new RegExp(form).test(source)),
  );
}

function titlesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { title } = value as { title?: unknown };
  const own = typeof title === 'string' && ('type' in value || 'anyOf' in value) ? [title] : [];
  return [...own, ...Object.values(value).flatMap(titlesIn)];
}
