import { capital } from '@florin/server/platform/http/openapi/client-names.ts';
import type { Schema } from './document.ts';

/**
 * Turns JSON Schema into the text of TypeScript types. Every object that appears more than once becomes one interface.
 */
export class TypeWriter {
  private readonly components: Readonly<Record<string, Schema>>;
  private readonly declarations = new Map<string, string>();
  /** Names of objects without one in the document, by their content. */
  private readonly nameOfContent = new Map<string, string>();

  constructor(components: Readonly<Record<string, Schema>> = {}) {
    this.components = components;
  }

  /** The schema itself, where it is a reference or wraps a single other one. */
  resolve(schema: Schema): Schema {
    if (schema.$ref !== undefined) return this.resolve(this.components[lastPart(schema.$ref)] ?? {});
    if (schema.allOf?.length === 1) return this.resolve(schema.allOf[0] as Schema);
    return schema;
  }

  /**
   * The type of a value. In what the service sends (`open`), enumerations also admit values that a later release adds.
   * An object without a name in the document gets `name`.
   */
  typeOf(schema: Schema, name: string, open: boolean): string {
    if (schema.$ref !== undefined) return this.component(lastPart(schema.$ref), open);
    if (schema.allOf !== undefined) {
      return schema.allOf.map((part, i) => this.typeOf(part, i === 0 ? name : `${name}${i}`, open)).join(' & ');
    }
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives !== undefined) return this.union(alternatives, name, open);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return this.enumeration(schema.enum, open);
    // What is always null.
    if (schema.maxProperties === 0) return 'null';
    if (Array.isArray(schema.type)) {
      return [...new Set(schema.type.map((type) => this.typeOf({ ...schema, type }, name, open)))].join(' | ');
    }
    if (schema.type === 'array') return arrayOf(this.typeOf(schema.items ?? {}, singular(name), open));
    const isObject = schema.type === 'object' || (schema.type === undefined && schema.properties !== undefined);
    if (isObject) return this.object(schema, name, open);
    return simpleTypes[schema.type ?? ''] ?? 'unknown';
  }

  /** All interfaces and aliases that were needed so far, in alphabetical order. */
  written(): string {
    return [...this.declarations]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, text]) => text)
      .join('\n\n');
  }

  /** Its name, if the document has one for the same words; null may be among them. */
  private enumeration(values: readonly unknown[], open: boolean): string {
    const words = values.filter((value) => value !== null);
    const names = Object.keys(this.components);
    const name = names.find((one) => JSON.stringify(this.components[one]?.enum) === JSON.stringify(words));
    if (name === undefined || words.length === values.length) return enumeration(values, open);
    return `${this.component(name, open)} | null`;
  }

  private union(alternatives: readonly Schema[], name: string, open: boolean): string {
    const objects = alternatives.filter((one) => this.resolve(one).properties !== undefined);
    const types = alternatives.map((one) =>
      this.typeOf(one, objects.length > 1 && objects.includes(one) ? `${name}${objects.indexOf(one) + 1}` : name, open),
    );
    return [...new Set(types)].join(' | ');
  }

  private component(name: string, open: boolean): string {
    const schema = this.components[name] ?? {};
    // An enumeration has one name, for what is sent and for what is received.
    const isEnumeration = schema.enum !== undefined;
    if (!this.declarations.has(name)) {
      this.declarations.set(name, '');
      this.declarations.set(name, this.declaration(schema, name, open && !isEnumeration));
    }
    if (isEnumeration && open) return `${name} | (string & {})`;
    // An interface cannot say that null may come in its place.
    const isNullableObject = schema.properties !== undefined && [schema.type].flat().includes('null');
    return isNullableObject ? `${name} | null` : name;
  }

  private object(schema: Schema, name: string, open: boolean): string {
    if (Object.keys(schema.properties ?? {}).length === 0) {
      const { additionalProperties: values } = schema;
      const type = typeof values === 'object' ? this.typeOf(values, `${name}Value`, open) : 'unknown';
      return `Record<string, ${type}>`;
    }
    const content = JSON.stringify([open, schema.properties, schema.required]);
    const known = this.nameOfContent.get(content);
    if (known !== undefined) return known;
    const free = this.freeName(name);
    this.nameOfContent.set(content, free);
    this.declarations.set(free, '');
    this.declarations.set(free, this.declaration(schema, free, open));
    return free;
  }

  private freeName(name: string): string {
    for (let i = 1; ; i++) {
      const one = i === 1 ? name : `${name}${i}`;
      if (!this.declarations.has(one) && this.components[one] === undefined) return one;
    }
  }

  private declaration(schema: Schema, name: string, open: boolean): string {
    const comment = commentOf(schema.description);
    if (schema.properties === undefined || schema.anyOf !== undefined || schema.oneOf !== undefined) {
      return `${comment}export type ${name} = ${this.typeOf(schema, `${name}Value`, open)};`;
    }
    const fields = Object.entries(schema.properties).map(([field, inner]) => {
      const isOptional = !schema.required?.includes(field);
      const type = this.typeOf(inner, name + capital(field), open);
      const key = /^[A-Za-z_]\w*$/.test(field) ? field : JSON.stringify(field);
      return (
        `${commentOf(inner.description, '  ')}  ${key}${isOptional ? '?' : ''}: ` +
        `${type}${isOptional ? ' | undefined' : ''};`
      );
    });
    return `${comment}export interface ${name} {\n${fields.join('\n')}\n}`;
  }
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function enumeration(values: readonly unknown[], open: boolean): string {
  const literals = values.map((value) => JSON.stringify(value)).join(' | ');
  const words = values.filter((value) => value !== null);
  return open && words.every((word) => typeof word === 'string') && words.length > 1
    ? `${literals} | (string & {})`
    : literals;
}

const arrayOf = (type: string) => (/[ |&]/.test(type) ? `(${type})[]` : `${type}[]`);

/** The name for the elements of a list. */
const singular = (name: string) => name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

/** A documentation comment, or nothing. */
export function commentOf(text: string | undefined, indent = ''): string {
  if (text === undefined || text === '') return '';
  // Links lead to pages of the service.
  const lines = text
    .replaceAll(/\[([^\]]*)\]\(\/docs[^)]*\)/g, '$1')
    .replaceAll('*/', '*\\/')
    .split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

const lastPart = (reference: string) => reference.split('/').at(-1) as string;
