/** The methods of each declared path, such as `/api/callback/:channel` or `/docs/*`. */
export class KnownMethods {
  readonly #exact = new Map<string, Set<string>>();
  readonly #patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  add(url: string, methods: readonly string[]): void {
    const known = /[:*]/.test(url) ? this.#patternOf(url).methods : this.#methodsOf(url);
    for (const method of methods) known.add(method);
  }

  /** The methods of a path; empty when it is unknown. A trailing slash makes no difference. */
  of(path: string): string[] {
    const found = new Set(this.#exact.get(trimmed(path)));
    for (const { pattern, methods } of this.#patterns.values()) {
      if (pattern.test(trimmed(path))) for (const method of methods) found.add(method);
    }
    return [...found].sort();
  }

  #methodsOf(url: string): Set<string> {
    const methods = this.#exact.get(trimmed(url)) ?? new Set();
    this.#exact.set(trimmed(url), methods);
    return methods;
  }

  #patternOf(url: string): { pattern: RegExp; methods: Set<string> } {
    const source = trimmed(url)
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.split('*').map(escaped).join('.*')))
      .join('/');
    const known = this.#patterns.get(source) ?? { pattern: new RegExp(`^${source}$`), methods: new Set<string>() };
    this.#patterns.set(source, known);
    return known;
  }
}

const escaped = (text: string) => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
