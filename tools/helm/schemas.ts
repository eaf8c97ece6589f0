import { globSync, readFileSync } from 'node:fs';
import type { AnySchemaObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseAllDocuments } from 'yaml';
import { built, kubernetesVersions } from './places.ts';

/** An object of Kubernetes. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: the schemas say what is in it, and TypeScript does not know them.
  [field: string]: any;
}

interface Definition {
  kind: string;
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; served: boolean; schema: { openAPIV3Schema: AnySchemaObject } }[];
  };
}

type GroupVersionKind = { group: string; version: string; kind: string };

const isFixed = (schema: AnySchemaObject) => schema['x-kubernetes-preserve-unknown-fields'] !== true;
const ajvOptions = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;

/** Says what is wrong with an object of a kind: unknown fields, wrong types, missing ones. */
export class Schemas {
  readonly #ofKubernetes = kubernetesVersions.map(
    (version) => [version, kubernetesKinds(built('kubernetes', `v${version}.json`))] as const,
  );
  readonly #custom = customKinds();

  /** Lines for people; none: the object is right. */
  problemsOf(manifest: Manifest): string[] {
    const { apiVersion, kind, metadata } = manifest;
    const key = `${apiVersion} ${kind}`;
    const name = `${kind} ${metadata?.name}`;
    const custom = this.#custom.get(key);
    const told = (validate: ValidateFunction | undefined, from: string) => {
      if (validate === undefined) return [`${name}: ${from} has no ${key}`];
      if (validate(manifest)) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${name} ${instancePath}: ${message} ${JSON.stringify(params)} (${from})`,
      );
    };
    if (custom !== undefined) return told(custom(), 'its definition');
    return this.#ofKubernetes.flatMap(([version, find]) => told(find(key), `Kubernetes ${version}`));
  }
}

function kubernetesKinds(file: string): (key: string) => ValidateFunction | undefined {
  const document = JSON.parse(readFileSync(file, 'utf8')) as AnySchemaObject;
  const ajv = new Ajv2020(ajvOptions);
  const { $id: _ofPackage, $schema: _draft, ...definitions } = document;
  // Their references name this address.
  ajv.addSchema(definitions, '/api/_definitions.json');
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries<AnySchemaObject>(definitions.$defs)) {
    for (const { group, version, kind } of (schema['x-kubernetes-group-version-kind'] ?? []) as GroupVersionKind[]) {
      names.set(`${group === '' ? '' : `${group}/`}${version} ${kind}`, name);
    }
  }
  return (key) => {
    const name = names.get(key);
    return name === undefined ? undefined : ajv.compile({ $ref: `/api/_definitions.json#/$defs/${name}` });
  };
}

/** Compiled when they are needed: there are dozens. */
function customKinds(): Map<string, () => ValidateFunction> {
  const kinds = new Map<string, () => ValidateFunction>();
  for (const file of globSync('*.yaml', { cwd: built('definitions') })) {
    for (const document of parseAllDocuments(readFileSync(built('definitions', file), 'utf8'))) {
      const definition = document.toJS() as Partial<Definition> | null;
      if (definition?.kind !== 'CustomResourceDefinition') continue;
      const { group, names, versions } = (definition as Definition).spec;
      for (const { name, schema } of versions.filter(({ served }) => served)) {
        let compiled: ValidateFunction | undefined;
        kinds.set(`${group}/${name} ${names.kind}`, () => {
          compiled ??= new Ajv2020(ajvOptions).compile(closed(schema.openAPIV3Schema, true));
          return compiled;
        });
      }
    }
  }
  return kinds;
}

/** The schema without further fields: Kubernetes drops those that it does not know, without a word. */
function closed(schema: AnySchemaObject, isRoot = false): AnySchemaObject {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not: _only, ...rest } = schema;
  const result: AnySchemaObject = { ...rest };
  if (properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries<AnySchemaObject>(properties).map(([name, property]) => [name, closed(property)]),
    );
    if (isFixed(schema) && additionalProperties === undefined) result.additionalProperties = false;
  }
  if (isRoot) result.properties.metadata = { type: 'object' };
  if (additionalProperties !== undefined) {
    result.additionalProperties =
      typeof additionalProperties === 'object' ? closed(additionalProperties) : additionalProperties;
  }
  if (items !== undefined) result.items = closed(items);
  // They only restrict further, and name no fields of their own.
  if (allOf !== undefined) result.allOf = allOf;
  if (anyOf !== undefined) result.anyOf = anyOf;
  if (oneOf !== undefined) result.oneOf = oneOf;
  if (schema.not !== undefined) result.not = schema.not;
  // Go writes the flag where JavaScript takes a group.
  if (typeof rest.pattern === 'string') result.pattern = rest.pattern.replace(/^\^\(\?i\)(.*)\$$/, '^(?i:$1)$');
  if (schema.nullable === true && typeof rest.type === 'string') result.type = [rest.type, 'null'];
  return result;
}
