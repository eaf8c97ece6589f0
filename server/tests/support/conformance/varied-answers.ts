import { expect, test } from 'vitest';
import { variantsOf } from './answer-variants.ts';
import type { OpenApiContract } from './openapi-contract.ts';

/** Each prepares something, and returns what is then done with the connector. */
export type Scenarios = Record<string, () => Promise<() => Promise<unknown>>>;

/** Places at which an answer that leaves something out has another result, of this kind. */
export type ExplainedDifferences = readonly (readonly [at: RegExp, kind: string])[];

interface VariedAnswersOptions {
  contract: OpenApiContract;
  /** The words in the code of the connector. */
  words: ReadonlySet<string>;
}

interface Result {
  kind: string;
}

interface Difference {
  /** `GET /v1/refunds/re_1 / has no status` */
  place: string;
  /** The kind of the result. */
  kind: string;
}

/** A request of a connector, and the answer to it. */
interface RecordedAnswer {
  method: string;
  url: URL;
  status: number;
  headers: [string, string][];
  text: string;
}

/**
 * A test for each scenario: whatever the provider's document lets an answer leave out, the kind of the result stays,
 * but for what is explained.
 */
export function testVariedAnswers(
  scenarios: Scenarios,
  explained: ExplainedDifferences,
  options: () => VariedAnswersOptions,
): void {
  test.each(Object.entries(scenarios))('%s', async (_name, prepare) => {
    for await (const { place, kind } of differingResults(await prepare(), options())) {
      const isExplained = explained.some(([at, expected]) => at.test(place) && kind === expected);
      expect.soft(isExplained, `${place}: ${kind}`).toBe(true);
    }
  });
}

/**
 * Does something with a connector; then again and again, with the same answers but for one that differs in one place,
 * as the provider's document allows it. Yields the places at which the kind of the result was not the first one.
 */
async function* differingResults(
  work: () => Promise<unknown>,
  { contract, words }: VariedAnswersOptions,
): AsyncGenerator<Difference> {
  const { result, answers } = await recorded(work as () => Promise<Result>);
  for (const [index, answer] of answers.entries()) {
    if (answer.text === '') continue;
    const { method, url, status } = answer;
    for (const { what, answer: varied, isUndocumented } of variantsOf(JSON.parse(answer.text), words)) {
      const exchange = { method, path: url.pathname, query: {}, body: undefined, status, answer: varied };
      if (!isUndocumented && contract.violationsOf(exchange).length > 0) continue;
      const replaced = answers.with(index, { ...answer, text: JSON.stringify(varied) });
      const { kind } = await replayed(replaced, work as () => Promise<Result>);
      if (kind !== result.kind) yield { place: `${method} ${url.pathname} ${what}`, kind };
    }
  }
}

async function recorded<Result>(work: () => Promise<Result>): Promise<{ result: Result; answers: RecordedAnswer[] }> {
  const answers: RecordedAnswer[] = [];
  const result = await withFetch(async (input, init) => {
    const answer = { ...lineOf(input, init), ...(await received(await realFetch(input, init))) };
    answers.push(answer);
    return responseOf(answer);
  }, work);
  return { result, answers };
}

/** Answers the n-th request as it was answered before. A request that was not made before goes to the simulator. */
function replayed<Result>(answers: readonly RecordedAnswer[], work: () => Promise<Result>): Promise<Result> {
  let asked = 0;
  return withFetch(async (input, init) => {
    const { method, url } = lineOf(input, init);
    const isSame = (answer: RecordedAnswer | undefined) => answer?.method === method && answer.url.href === url.href;
    const expected = answers[asked++];
    const answer = isSame(expected) ? expected : answers.find(isSame);
    return answer === undefined ? realFetch(input, init) : responseOf(answer);
  }, work);
}

const realFetch = globalThis.fetch;

async function withFetch<Result>(stub: typeof fetch, work: () => Promise<Result>): Promise<Result> {
  globalThis.fetch = stub;
  try {
    return await work();
  } finally {
    globalThis.fetch = realFetch;
  }
}

function lineOf(input: string | URL | Request, init: RequestInit = {}): Pick<RecordedAnswer, 'method' | 'url'> {
  return { method: init.method ?? 'GET', url: new URL(input instanceof Request ? input.url : input) };
}

async function received(response: Response): Promise<Omit<RecordedAnswer, 'method' | 'url'>> {
  return { status: response.status, headers: [...response.headers], text: await response.text() };
}

function responseOf({ status, headers, text }: RecordedAnswer): Response {
  return new Response(text === '' ? null : text, { status, headers });
}
