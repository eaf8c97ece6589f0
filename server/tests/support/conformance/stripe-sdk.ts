import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What Stripe's pinned library declares, read from its type declarations: they are not there at run time. */

/** The members of an interface of a resource: `PaymentIntents`, `PaymentIntentCreateParams`. */
export function sdkMembersOf(resource: string, name: string): string[] {
  const indent = indentation(resource, name);
  return [...body(resource, `interface ${name} {`).matchAll(/^ {4,16}(\w+)\??:/gm)]
    .filter(([line]) => line.search(/\w/) === indent)
    .map(([, member]) => member as string)
    .sort();
}

/** The words of a union type: `type Status = 'canceled' | …`. */
export function sdkWordsOf(resource: string, ...path: string[]): string[] {
  const text = declarations(resource);
  const names = path.slice(0, -1).map((name) => `namespace ${name} {`);
  const from = names.reduce((at, name) => text.indexOf(name, at), 0);
  const type = text.slice(text.indexOf(`type ${path.at(-1)} = `, from)).split(';')[0] as string;
  return [...type.matchAll(/'([\w.]+)'/g)].map(([, word]) => word as string).sort();
}

function body(resource: string, opening: string): string {
  const text = declarations(resource);
  const start = text.indexOf(opening);
  if (start < 0) throw new Error(`${resource} of Stripe's library has no ${opening}`);
  const indent = ' '.repeat(start - text.lastIndexOf('\n', start) - 1).replace(/./g, ' ');
  const end = text.indexOf(`\n${indent.slice(0, leading(text, start))}}`, start);
  return text.slice(start, end);
}

function indentation(resource: string, name: string): number {
  const text = declarations(resource);
  return leading(text, text.indexOf(`interface ${name} {`)) + 4;
}

/** How far the line at this place is indented. */
function leading(text: string, at: number): number {
  const line = text.slice(text.lastIndexOf('\n', at) + 1);
  return line.search(/\S/);
}

const read = new Map<string, string>();

function declarations(resource: string): string {
  const file = new URL(`../../../../node_modules/stripe/cjs/resources/${resource}.d.ts`, import.meta.url);
  const text = read.get(resource) ?? readFileSync(fileURLToPath(file), 'utf8');
  read.set(resource, text);
  return text;
}
