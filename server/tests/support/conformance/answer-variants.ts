import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** An answer of a provider that differs from another one in one place. */
export interface Variant {
  /** `/latest_charge has no outcome` */
  what: string;
  answer: unknown;
  /** With a member that no document names, which a provider may add on any day. */
  isUndocumented: boolean;
}

/** A place in a JSON value, from its root. */
type Path = readonly (string | number)[];

/**
 * An answer without one of its members, or with null in its place: in every place, but only for members that the code
 * names, because no other can make a difference to it. And once with an undocumented member in every object.
 */
export function* variantsOf(answer: unknown, named: ReadonlySet<string>): Generator<Variant> {
  yield { what: 'has undocumented members', answer: withUndocumented(answer), isUndocumented: true };
  for (const path of placesIn(answer)) {
    const [parent, name] = [path.slice(0, -1), path.at(-1)];
    if (typeof name !== 'string' || !named.has(name)) continue;
    const variant = (what: string, change: (members: Record<string, unknown>) => void): Variant => {
      const copy = structuredClone(answer);
      change(at(copy, parent) as Record<string, unknown>);
      return { what: `/${parent.join('/')} has ${what} ${name}`, answer: copy, isUndocumented: false };
    };
    yield variant('no', (members) => delete members[name]);
    if (at(answer, path) !== null) yield variant('null as', (members) => Object.assign(members, { [name]: null }));
  }
}

function* placesIn(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  // Items of a list are alike.
  const members = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value);
  for (const [name, member] of members) yield* placesIn(member, [...path, name]);
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, name) => (found as Record<string | number, unknown>)[name], value);
}

function withUndocumented(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUndocumented);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withUndocumented(member)]);
  return { ...Object.fromEntries(members), undocumented: { a: [1] } };
}

/** Every word in the code of a connector, such as that in `server/src/domains/payments/providers/stripe/`. */
export function wordsOfConnector(provider: string): ReadonlySet<string> {
  const folder = fileURLToPath(new URL(`../../../src/domains/payments/providers/${provider}/`, import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return new Set(files.flatMap((name) => readFileSync(folder + name, 'utf8').match(/\w+/g) ?? []));
}
