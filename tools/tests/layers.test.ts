import { expect, test } from 'vitest';
import { brokenRules, importsFromOutside, importsOfServer } from '../layers.ts';

const main = (text: string) => ({ path: 'app/main.ts', text });

test('valid sources give no findings', () => {
  const sources = [
    main("import '../domains/payments/transactions/create.ts';"),
    { path: 'domains/payments/transactions/create.ts', text: "import { x } from '../channels/statements.ts';" },
    { path: 'domains/payments/channels/statements.ts', text: 'insert into channel' },
  ];
  expect(brokenRules(sources)).toEqual([]);
});

test.each([
  [
    'an import from a layer above',
    'domains/identity/users/statements.ts',
    "import '../../../app/main.ts';",
    'a layer imports only from itself or below',
  ],
  [
    'an import from a later module',
    'domains/identity/users/statements.ts',
    "import '../../payments/channels/statements.ts';",
    'channels comes after users',
  ],
  [
    'a module that uses the services of a group above',
    'domains/identity/users/statements.ts',
    "import type { PaymentsApp } from '../../payments/app.ts';",
    'payments is a group above identity',
  ],
  [
    'services that need a group above',
    'domains/identity/app.ts',
    "import type { X } from '../payments/channels/directory.ts';",
    'payments is a group above identity',
  ],
  [
    'a module that makes services',
    'domains/identity/users/statements.ts',
    "import { identityServices } from '../services.ts';",
    'only app/ makes the services',
  ],
  [
    'an import between folders of the platform',
    'platform/http/a.ts',
    "import '../mail/b.ts';",
    'do not import each other',
  ],
  [
    "a write to another module's table",
    'domains/identity/users/statements.ts',
    'update channel set x = 1',
    'only channels may',
  ],
  ['a clock of its own', 'domains/identity/users/statements.ts', 'const now = Date.now();', 'take a Clock'],
  [
    'a value or a promise of it',
    'domains/identity/users/statements.ts',
    'find(id: number): User | Promise<User> {',
    'has a value or a promise',
  ],
  [
    'a test for a promise',
    'domains/identity/users/statements.ts',
    'return !(user instanceof Promise);',
    'has a value or a promise',
  ],
  ['a folder that is no layer', 'helpers/a.ts', '', 'is not a layer'],
  ['a domain that is no module', 'domains/payments/cards/a.ts', '', 'is not a module'],
  ['circular imports', 'domains/identity/users/statements.ts', "import './statements.ts';", 'circular imports'],
  ['product code that imports tests', 'app/x.ts', "import '../../tests/support/a.ts';", 'only tests may'],
  ['product code that imports a fault test', 'app/x.ts', "import './kills.drill.ts';", 'only tests may'],
])('%s is found', (_what, path, text, complaint) => {
  expect(brokenRules([main(`import '../${path}';`), { path, text }]).join('\n')).toContain(complaint);
});

test('a file that nothing imports is found', () => {
  expect(brokenRules([main(''), { path: 'core/dead.ts', text: '' }])).toEqual(['core/dead.ts: nothing imports it.']);
});

test('a package that imports from outside of its folder is found, and one that stands alone is not', () => {
  const outside = { path: 'src/a.ts', text: "import { x } from '../../../server/src/core/clock.ts';" };
  expect(importsFromOutside('p', [outside]).join()).toContain('imports ../../server/src/core/clock.ts');
  const alone = { path: 'tests/a.ts', text: "import '../src/b.ts'; import 'pg'; import '@florin/sdk';" };
  expect(importsFromOutside('p', [alone])).toEqual([]);
});

test('the server is imported by name, and by the console only what they share', () => {
  const money = (specifier: string) => [{ path: 'format/money.tsx', text: `import { x } from '${specifier}';` }];
  expect(importsOfServer('console/src', money('../../../server/src/core/money.ts')).join()).toContain('by name');
  expect(importsOfServer('console/src', money('@florin/server/platform/lists/page.ts')).join()).toContain(
    'only its core',
  );
  expect(importsOfServer('console/src', money('@florin/server/core/money.ts'))).toEqual([]);
  expect(importsOfServer('tools', money('@florin/server/platform/lists/page.ts'))).toEqual([]);
});

test('tests may import everything, and need no importer', () => {
  const looking = "import '../app/main.ts'; const now = Date.now();";
  const sources = [
    main(''),
    ...['domains/kills.test.ts', 'domains/kills.drill.ts'].map((path) => ({ path, text: looking })),
  ];
  expect(brokenRules(sources)).toEqual([]);
});
