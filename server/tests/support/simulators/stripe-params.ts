/** The parameters of a request: a form whose names are paths into a tree (`metadata[order]=1`). */
export interface Params {
  [name: string]: string | Params;
}

/** An error answer of Stripe (https://docs.stripe.com/api/errors). */
export class StripeProblem extends Error {
  readonly status: number;
  readonly error: Record<string, unknown>;
  /** Stripe stores errors under the idempotency key only once the endpoint has begun to execute. */
  readonly isStored: boolean;

  constructor(status: number, error: { message: string; [field: string]: unknown }, isStored = false) {
    super(error.message);
    this.status = status;
    this.error = { type: 'invalid_request_error', ...error };
    this.isStored = isStored;
  }

  /** The same problem with further members. */
  with(members: Record<string, unknown>): StripeProblem {
    return new StripeProblem(this.status, { message: this.message, ...this.error, ...members }, this.isStored);
  }

  get answer(): { status: number; body: string } {
    return { status: this.status, body: JSON.stringify({ error: this.error }, null, 2) };
  }
}

/** `a[b][c]=1` → { a: { b: { c: '1' } } } */
export function decodeForm(text: string): Params {
  const root: Params = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/[^[\]]+/g)].map(([part]) => part);
    let node = root;
    for (const part of path.slice(0, -1)) {
      node[part] = typeof node[part] === 'object' ? node[part] : Object.create(null);
      node = node[part] as Params;
    }
    node[path.at(-1) as string] = value;
  }
  return root;
}

export function requireKnown(params: Params, known: readonly string[]): void {
  const unknown = Object.keys(params).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new StripeProblem(400, {
    code: 'parameter_unknown',
    param: unknown,
    message: `Received unknown parameter: ${unknown}`,
  });
}

export function text(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new StripeProblem(400, { param: name, message: `Invalid string: ${name}` });
}

export function required(params: Params, name: string): string {
  const value = text(params, name);
  if (value !== undefined && value !== '') return value;
  throw new StripeProblem(400, {
    code: 'parameter_missing',
    param: name,
    message: `Missing required param: ${name}.`,
  });
}

export function integer(params: Params, name: string): number | undefined {
  const value = text(params, name);
  if (value === undefined) return undefined;
  if (/^-?\d{1,15}$/.test(value)) return Number(value);
  throw new StripeProblem(400, {
    code: 'parameter_invalid_integer',
    param: name,
    message: `Invalid integer: ${value}`,
  });
}

export function tree(params: Params, name: string): Params {
  const value = params[name];
  if (value === undefined) return {};
  if (typeof value === 'object') return value;
  throw new StripeProblem(400, { param: name, message: `Invalid object: ${name}` });
}

/** https://docs.stripe.com/api/metadata: up to 50 keys of 40 characters, values of 500. */
export function metadata(params: Params): Record<string, string> {
  const entries = Object.entries(tree(params, 'metadata')).map(([key, value]) => [key, String(value)] as const);
  if (entries.length > 50 || entries.some(([key, value]) => key.length > 40 || value.length > 500)) {
    throw new StripeProblem(400, {
      param: 'metadata',
      message: 'Metadata takes 50 keys of 40, values of 500 characters.',
    });
  }
  return Object.fromEntries(entries);
}

export function automaticMethods(given: Params): { enabled: boolean; allow_redirects?: string } | null {
  return text(given, 'enabled') === 'true' ? { allow_redirects: 'always', enabled: true } : null;
}
