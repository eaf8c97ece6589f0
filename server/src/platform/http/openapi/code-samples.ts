import type { Route } from '../route.ts';
import { methodName } from './client-names.ts';

/** A request in the languages of the documentation, as `x-codeSamples` of the OpenAPI document has it. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** A request that was accepted. */
interface Example {
  parameters?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

const placeholderUrl = 'https://pay.example.com';
const jsonOf = (value: unknown) => JSON.stringify(value);

/** The request of the example with curl, the SDK and the command line. */
export function codeSamplesOf({ method, path, needs }: Route, example: Example): CodeSample[] {
  const { query, inPath, headers } = partsOf(path, example.parameters);
  const body = example.body as Readonly<Record<string, unknown>> | undefined;
  const request = { method, path: withParameters(path, inPath), query, headers, body, isOpen: needs === 'nothing' };
  const params = { ...inPath, ...query, ...body };
  return [
    { lang: 'Shell', label: 'curl', source: curl(request) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(methodName(method, path), params) },
    { lang: 'Shell', label: 'CLI', source: commandLine(request) },
  ];
}

interface Request {
  method: string;
  path: string;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, unknown>>;
  body: Readonly<Record<string, unknown>> | undefined;
  /** Without credentials. */
  isOpen: boolean;
}

function curl({ method, path, query, headers, body, isOpen }: Request): string {
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]);
  const address = placeholderUrl + (pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`);
  const lines = [
    `curl ${quoted(address)}`,
    ...(isOpen ? [] : [`-H 'Authorization: ApiKey sk_test_…'`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(jsonOf(body))}`]),
    ...(method === 'POST' && body === undefined ? ['-X POST'] : []),
  ];
  return lines.join(' \\\n  ');
}

function typescript(name: string, params: Readonly<Record<string, unknown>>): string {
  const given = Object.keys(params).length === 0 ? '' : literal(params);
  return `const answer = await florin.${name}(${given});`;
}

function commandLine({ method, path, query, body }: Request): string {
  const words = Object.entries(body ?? query).map(([name, value]) => quoted(`${name}=${wordOf(value)}`));
  return ['florin', method.toLowerCase(), quoted(path), ...words].join(' ');
}

/** Text that reads as JSON is written as a JSON string, because the command line would take it for a number. */
function wordOf(value: unknown): string {
  if (typeof value !== 'string') return jsonOf(value);
  try {
    JSON.parse(value);
    return jsonOf(value);
  } catch {
    return value;
  }
}

function quoted(word: string): string {
  return /^[\w./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A value as TypeScript, on one line if it is short. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return jsonOf(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, one]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
    return isList ? literal(one, inner) : `${key}: ${literal(one, inner)}`;
  });
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }'];
  const short = `${open}${parts.join(', ')}${close}`;
  if (parts.length === 0) return isList ? '[]' : '{}';
  if (short.length + indent.length < 80 && !short.includes('\n')) return short;
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close.trim()}`;
}

function partsOf(path: string, parameters: Readonly<Record<string, unknown>> = {}) {
  const entries = Object.entries(parameters);
  const isInPath = ([name]: [string, unknown]) => path.includes(`{${name}}`);
  const isHeader = ([name]: [string, unknown]) => name.includes('-');
  return {
    inPath: Object.fromEntries(entries.filter(isInPath)),
    headers: Object.fromEntries(entries.filter(isHeader)),
    query: Object.fromEntries(entries.filter((entry) => !isInPath(entry) && !isHeader(entry))),
  };
}

function withParameters(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all));
}
