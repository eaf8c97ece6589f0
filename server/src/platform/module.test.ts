import { expect, expectTypeOf, test } from 'vitest';
import { type Assembled, assembleModules, defineModule } from './module.ts';

const colours = defineModule({ name: 'colours', tables: [], provide: (_base: object) => ({ colour: 'red' }) });
const shapes = defineModule({
  name: 'shapes',
  tables: [],
  provide: ({ colour }: { colour: string }) => ({ shape: `${colour} square` }),
});

test('a module sees what the base and earlier modules provide', () => {
  const context = assembleModules([colours, shapes], { size: 1 });
  expect(context).toEqual({ size: 1, colour: 'red', shape: 'red square' });
  expectTypeOf(context).toEqualTypeOf<{ size: number } & { colour: string } & { shape: string }>();
});

test('the compiler refuses a module that stands before one it needs', () => {
  type Right = Assembled<readonly [typeof colours, typeof shapes], object>;
  expectTypeOf<Right>().toExtend<{ colour: string; shape: string }>();

  type Wrong = Assembled<readonly [typeof shapes, typeof colours], object>;
  expectTypeOf<Wrong>().not.toExtend<{ shape: string }>();
  expectTypeOf<Wrong['missing']>().toEqualTypeOf<'colour'>();
  expectTypeOf<Wrong['module']>().toEqualTypeOf<typeof shapes>();
});

test('the compiler refuses a module whose need has another type', () => {
  const numbered = defineModule({ name: 'numbered', tables: [], provide: (_base: object) => ({ colour: 7 }) });
  type Wrong = Assembled<readonly [typeof numbered, typeof shapes], object>;
  expectTypeOf<Wrong>().not.toExtend<{ shape: string }>();
});

test('a service that is provided twice is refused, by a module or by the base', () => {
  const others = defineModule({ name: 'others', tables: [], provide: (_base: object) => ({ colour: 'blue' }) });
  expect(() => assembleModules([colours, others], {})).toThrow('others provides colour');
  expect(() => assembleModules([colours], { colour: 'blue' })).toThrow('colours provides colour');
});

test('two modules of one name are refused', () => {
  const others = defineModule({ name: 'colours', tables: [] });
  expect(() => assembleModules([colours, others], {})).toThrow('Two modules are called colours');
});
