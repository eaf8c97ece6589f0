import type { Exchange, OpenApiContract } from './openapi-contract.ts';

/** How many exchanges are kept before they are checked. */
const maxKept = 2_000;

/**
 * Checks every exchange and event of a simulator against the provider's document. They are kept until the simulator
 * closes, so that checking slows down no test: many of them measure rates. Does nothing where the document is absent;
 * `server/tests/conformance` counts that as skipped.
 */
export class ConformanceCheck {
  readonly #contract: () => OpenApiContract | undefined;
  readonly #kept: ((contract: OpenApiContract) => string[])[] = [];
  readonly #violations = new Set<string>();
  #isPaused = false;

  constructor(contract: () => OpenApiContract | undefined) {
    this.#contract = contract;
  }

  /** `read` is called later: what it reads must not change. */
  exchange(read: () => Exchange): void {
    this.#keep((contract) => contract.violationsOf(read()));
  }

  /** A value that a schema of the document describes, such as an event. */
  value(schema: string, value: unknown): void {
    const text = JSON.stringify(value);
    const find = (contract: OpenApiContract) => contract.violationsOfSchema(schema, JSON.parse(text));
    this.#keep((contract) => find(contract).map((violation) => `${schema}: ${violation}`));
  }

  /** Runs a part of a test in which the simulator leaves the document on purpose, or gets what no connector sends. */
  async unchecked<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.#isPaused = true;
    try {
      return await work();
    } finally {
      this.#isPaused = false;
    }
  }

  /** Throws if there were violations; simulators call it when they close. */
  assertNone(): void {
    this.#check();
    if (this.#violations.size === 0) return;
    const violations = [...this.#violations].slice(0, 20);
    this.#violations.clear();
    throw new Error(`Not as the provider's document says:\n${violations.join('\n')}`);
  }

  #keep(find: (contract: OpenApiContract) => string[]): void {
    if (this.#isPaused) return;
    this.#kept.push(find);
    if (this.#kept.length === maxKept) this.#check();
  }

  #check(): void {
    const kept = this.#kept.splice(0);
    const contract = kept.length === 0 ? undefined : this.#contract();
    if (contract === undefined) return;
    for (const violation of kept.flatMap((find) => find(contract))) this.#violations.add(violation);
  }
}
