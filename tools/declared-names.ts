import { modules } from '@florin/server/app/modules.ts';
import { scopeOfEventType } from '@florin/server/core/event-types.ts';
import { moduleErrors } from '@florin/server/core/generated/errors.ts';
import { auditActions } from '@florin/server/domains/identity/audit/actions.ts';

type Names = Readonly<Record<string, string>>;

/**
 * The lists of all event types, errors and audit actions, collected from the modules that declare them, by their paths
 * in the repository. They are files so that the compiler knows every name, also in modules that come before the
 * declaring one.
 */
export function declaredNameFiles(): Record<string, string> {
  const all: typeof modules = modules;
  return {
    'server/src/core/generated/event-types.ts': listFile(
      'scopeOfEventType',
      collected(
        all.map(({ eventTypes = {} }) => eventTypes),
        scopeOfEventType,
      ),
    ),
    'server/src/core/generated/errors.ts': listFile(
      'moduleErrors',
      collected(
        all.map(({ errors = {} }) => errors),
        moduleErrors,
      ),
    ),
    'server/src/domains/identity/audit/generated/actions.ts': listFile(
      'auditActions',
      collected(
        all.map(({ auditActions: own = {} }) => own),
        auditActions,
      ),
    ),
  };
}

/** Names that are listed already keep their place, because answers and pages show the order. New ones come last. */
export function collected(declared: readonly Names[], listed: Names): Names {
  const all = new Map<string, string>();
  for (const [name, value] of declared.flatMap(Object.entries<string>)) {
    if (all.has(name)) throw new Error(`Two modules declare ${name}.`);
    all.set(name, value);
  }
  const kept = Object.keys(listed).filter((name) => all.has(name));
  return Object.fromEntries([...new Set([...kept, ...all.keys()])].map((name) => [name, all.get(name) as string]));
}

function listFile(name: string, values: Names): string {
  const lines = Object.entries(values).map(([key, value]) => `  '${key}': ${JSON.stringify(value)},`);
  return (
    `// Collected from the modules by \`npm run docs\`. Do not edit.\n\nexport const ${name} = ` +
    `{\n${lines.join('\n')}\n} as const;\n`
  );
}
