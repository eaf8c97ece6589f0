import type { TSchema } from 'typebox';
import type { Scope } from '../core/scopes.ts';
import type { Route } from './http/route.ts';
import type { BackgroundWorker } from './jobs/background-worker.ts';
import type { RetentionSweep } from './jobs/sweeper.ts';
import type { KeyedCheck } from './keyed-check.ts';
import type { Check, Finding } from './postgres/check.ts';
import type { SealedColumn } from './postgres/sealed-column-statements.ts';
import type { SettingDeclarations } from './settings/declare.ts';

/** A group of the API reference. */
export interface ReferenceGroup {
  name: string;
  description: string;
}

/**
 * One domain of the product, declared once. The HTTP server, the OpenAPI document, the workers, `npm run verify`, the
 * retention sweeps, the settings, the generated docs and the layer check are derived from the ordered list of modules in
 * `app/modules.ts`.
 *
 * `provide` runs in the order of the list and receives what earlier modules provide. Everything else runs after all
 * modules have provided their services, and receives all of them.
 */
export interface Module<Needs, Provides, RouteContext, WorkerContext, RetentionContext, Own = SettingDeclarations> {
  /** The name of the folder: `refunds`. */
  name: string;
  /** The tables that only this module writes. */
  tables: readonly string[];
  settings?: Own;
  /** The types of its events, each with the scope that a caller needs to read them: that of the record that they are about. */
  eventTypes?: Readonly<Record<`${string}.${string}`, Scope>>;
  /**
   * The actions that it enters into the audit log, each with its meaning. The part before the dot is the type of the record.
   * Names are stable: they are stored, filtered by and exported.
   */
  auditActions?: Readonly<Record<`${string}.${string}`, string>>;
  /** Makes the services that this module and later ones use. Called once per node. */
  provide?: (needs: Needs) => Provides;
  /** Groups of the API reference, in order. */
  reference?: readonly ReferenceGroup[];
  routes?: (context: RouteContext) => readonly Route[];
  workers?: (context: WorkerContext) => readonly BackgroundWorker[];
  retention?: (context: RetentionContext) => readonly RetentionSweep[];
  /** Claims that the module's rows must satisfy at all times, checked by `npm run verify`. */
  integrity?: readonly Check[];
  /** Such claims that take a key. */
  keyedIntegrity?: readonly KeyedCheck[];
  /** What `npm run verify` names besides: nothing is broken, but a person should look at it. */
  findings?: readonly Finding[];
  /** Columns of its tables that hold sealed values: `npm run reseal` seals them again, `npm run verify` counts them. */
  sealed?: readonly SealedColumn[];
  /** Shapes of API resources that the generated docs show as tables, by the resource's name. */
  resources?: Readonly<Record<string, TSchema>>;
  /** The names of its schemas in the OpenAPI document, such as `Refund` and `RefundCreateInput`. */
  schemas?: Readonly<Record<string, TSchema>>;
  /** The shapes of `data.object` in events about its records, by event type (`refund.failed`) or noun (`refund`). */
  eventObjects?: Readonly<Record<string, TSchema>>;
}

// biome-ignore lint/suspicious/noExplicitAny: one list holds modules of every shape; `Assembled` checks their types
export type AnyModule = Module<any, any, any, any, any, any>;

export function defineModule<
  Needs = object,
  Provides = object,
  RouteContext = object,
  WorkerContext = object,
  RetentionContext = object,
  // biome-ignore lint/complexity/noBannedTypes: a module without settings
  Own extends SettingDeclarations = {},
>(
  module: Module<Needs, Provides, RouteContext, WorkerContext, RetentionContext, Own>,
): Module<Needs, Provides, RouteContext, WorkerContext, RetentionContext, Own> {
  return module;
}

/** Turns a union into an intersection. */
export type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The settings that a module declares. */
export type OwnSettings<M> =
  M extends Module<infer _Needs, infer _Provides, infer _Routes, infer _Workers, infer _Retention, infer Own>
    ? Own
    : never;

/** The services that the routes, workers and sweeps of a module use. */
export type Uses<M> =
  M extends Module<infer _Needs, infer _Provides, infer Routes, infer Workers, infer Retention, infer _Own>
    ? Routes & Workers & Retention
    : never;

/**
 * The context after all modules have provided their services. When a module needs what no earlier one provides, a type
 * that names it, so that `assemble` in `app/assemble.ts` does not compile.
 */
export type Assembled<Modules extends readonly AnyModule[], Context> = Modules extends readonly [
  infer First,
  ...infer Rest extends readonly AnyModule[],
]
  ? First extends Module<infer Needs, infer Provides, infer _Routes, infer _Workers, infer _Retention, infer _Own>
    ? Context extends Needs
      ? Assembled<Rest, Context & Provides>
      : {
          error: 'An earlier module must provide what this one needs.';
          module: First;
          missing: Exclude<keyof Needs, keyof Context>;
        }
    : never
  : Context;

/** Makes the services of every module, in order. Throws when two modules, or two services, have the same name. */
export function assembleModules<const Modules extends readonly AnyModule[], Base extends object>(
  modules: Modules,
  base: Base,
): Assembled<Modules, Base> {
  const context = { ...base } as Record<string, unknown>;
  const names = new Set<string>();
  for (const module of modules) {
    if (names.has(module.name)) throw new Error(`Two modules are called ${module.name}.`);
    names.add(module.name);
    for (const [name, service] of Object.entries(module.provide?.(context) ?? {})) {
      if (name in context)
        throw new Error(`The module ${module.name} provides ${name}, which another one provides already.`);
      context[name] = service;
    }
  }
  return context as Assembled<Modules, Base>;
}
