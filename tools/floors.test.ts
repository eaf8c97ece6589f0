import { expect, test } from 'vitest';
import { brokenRules } from './floors.ts';

const main = (text: string) => ({ path: 'app/main.ts', text });

test('a house that keeps the rules has nothing to say', () => {
  const sources = [
    main("import '../domains/transactions/create.ts';"),
    { path: 'domains/transactions/create.ts', text: "import { x } from '../channels/sql.ts';" },
    { path: 'domains/channels/sql.ts', text: 'insert into channel' },
  ];
  expect(brokenRules(sources)).toEqual([]);
});

test.each([
  [
    'a floor that looks up',
    'domains/users/sql.ts',
    "import '../../app/main.ts';",
    'a floor imports only from itself or below',
  ],
  ['a domain that looks ahead', 'domains/users/sql.ts', "import '../channels/sql.ts';", 'comes after users'],
  ['tools that know each other', 'platform/http/a.ts', "import '../mail/b.ts';", 'do not know each other'],
  ["a write to another's table", 'domains/users/sql.ts', 'update channel set x = 1', 'only channels may'],
  ['a clock of its own', 'domains/users/sql.ts', 'const now = Date.now();', 'take a Clock'],
  [
    'a value or a promise of it',
    'domains/users/sql.ts',
    'find(id: number): User | Promise<User> {',
    'has a value or a promise',
  ],
  ['a test for a promise', 'domains/users/sql.ts', 'return !(user instanceof Promise);', 'has a value or a promise'],
  ['a room without a floor', 'helpers/a.ts', '', 'is not a floor'],
  ['a circle', 'domains/users/sql.ts', "import './sql.ts';", 'a circle of imports'],
  ['product code that leans on tests', 'app/x.ts', "import '../testing/a.ts';", 'only tests may'],
  ['product code that leans on a drill', 'app/x.ts', "import './kills.drill.ts';", 'only tests may'],
])('%s is named', (_what, path, text, complaint) => {
  expect(brokenRules([main(`import '../${path}';`), { path, text }]).join('\n')).toContain(complaint);
});

test('a module nobody imports is named', () => {
  expect(brokenRules([main(''), { path: 'vocabulary/dead.ts', text: '' }])).toEqual([
    'vocabulary/dead.ts: nothing imports it.',
  ]);
});

test('tests and drills may look everywhere, and nobody need import them', () => {
  const looking = "import '../app/main.ts'; const now = Date.now();";
  const sources = [
    main(''),
    ...['domains/kills.test.ts', 'domains/kills.drill.ts'].map((path) => ({ path, text: looking })),
  ];
  expect(brokenRules(sources)).toEqual([]);
});
