import { declaredOpenApi } from '../../../src/app/openapi/document.ts';

interface Operation {
  responses: Record<string, { 'x-error-types'?: string[] }>;
}

interface Declared {
  pattern: RegExp;
  /** The types of refusals by method and status, such as `POST 409`. */
  types: Map<string, readonly string[]>;
}

let documented: Declared[] | undefined;

/** The paths of the document; those without parameters first, because they are more specific. */
function declarations(): Declared[] {
  const paths = Object.entries(declaredOpenApi().paths).toSorted(
    ([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')),
  );
  return paths.map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    types: new Map(
      Object.entries(methods as unknown as Record<string, Operation>).flatMap(([method, { responses }]) =>
        Object.entries(responses).map(([status, response]) => [
          `${method.toUpperCase()} ${status}`,
          response['x-error-types'] ?? [],
        ]),
      ),
    ),
  }));
}

/**
 * Throws if an operation has answered with a status, or refused with a type, that its description does not declare, so
 * that each test checks that the OpenAPI document is complete. A refusal of an unknown path belongs to no operation,
 * and a node without an API knows no paths.
 */
export function requireDeclared(method: string, path: string, status: number, refusal?: unknown): void {
  documented ??= declarations();
  if (refusal === 'path_unknown') return;
  const [pathname = ''] = path.split('?');
  const types = documented.find(({ pattern }) => pattern.test(pathname))?.types;
  const isOperation = types?.has(`${method} 200`);
  const declared = types?.get(`${method} ${status}`);
  if (!isOperation || (refusal === undefined ? declared : declared?.includes(String(refusal)))) return;
  const answer = [status, refusal].filter((part) => part !== undefined).join(' ');
  throw new Error(`${method} ${pathname} answered ${answer}: declare it at the route.`);
}
