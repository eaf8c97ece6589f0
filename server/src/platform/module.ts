import type { TSchema } from 'typebox';
import type { Route } from './http/route.ts';
import type { DueWork } from './jobs/due-work-poller.ts';
import type { Check } from './postgres/check.ts';
import type { Topic } from './postgres/topics.ts';
import type { SettingDeclarations } from './settings/declare.ts';

/** Work that runs in the background of a node until it is stopped. */
export interface BackgroundWorker {
  name: string;
  start: () => void;
  /** Resolves when nothing of it runs any more. */
  stop: () => Promise<void>;
  /** Work may be due: look now. Called when the topic of `dueWork` or `wakesOn` is published. */
  wake?: () => void;
  /** What the worker works on: its topic, and how the poller finds it. */
  dueWork?: DueWork;
  /** A topic that wakes it, for work that the poller need not look for. */
  wakesOn?: Topic;
  /**
   * Frees the leases of processes that have died, so that their work is due at once. Called before the workers start, and
   * only when this node is alone with the database.
   */
  freeDeadLeases?: () => Promise<void>;
  /** The database's clock was set back: shortens leases and due times that lie further ahead than they can. */
  clockWasSetBack?: () => Promise<void>;
}

/** Removes rows whose time is over. Runs once an hour. */
export interface RetentionSweep {
  name: string;
  sweep: (nowMs: number) => Promise<unknown>;
}

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
 * `provide` runs in the order of the list and sees what earlier modules provide. Everything else runs when all modules
 * are in place and sees what any of them provides.
 */
export interface Module<Needs, Provides, RouteContext, WorkerContext, RetentionContext, Own = SettingDeclarations> {
  /** The name of the folder: `refunds`. */
  name: string;
  /** The tables that this module alone writes. */
  tables: readonly string[];
  settings?: Own;
  /** Makes the services that later modules and this one's routes and workers use: once for each node. */
  provide?: (needs: Needs) => Provides;
  /** Groups of the API reference, in order. */
  reference?: readonly ReferenceGroup[];
  routes?: (context: RouteContext) => readonly Route[];
  workers?: (context: WorkerContext) => readonly BackgroundWorker[];
  retention?: (context: RetentionContext) => readonly RetentionSweep[];
  /** What must be true of the module's rows at every moment: checked by `npm run verify`. */
  integrity?: readonly Check[];
  /** Shapes of the API that the generated docs show as tables, by the name of the resource. */
  resources?: Readonly<Record<string, TSchema>>;
}

// biome-ignore lint/suspicious/noExplicitAny: modules of every shape stand in one list; `Assembled` checks their types
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

/** All of a union at once. */
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

/** What the routes, workers and sweeps of a module use. */
export type Uses<M> =
  M extends Module<infer _Needs, infer _Provides, infer Routes, infer Workers, infer Retention, infer _Own>
    ? Routes & Workers & Retention
    : never;

/** The context after all modules have provided their services; a string that names the first module whose needs are not met. */
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

/** Makes every module's services, in order. */
export function assembleModules<const Modules extends readonly AnyModule[], Base extends object>(
  modules: Modules,
  base: Base,
): Assembled<Modules, Base> {
  const context = { ...base } as Record<string, unknown>;
  for (const module of modules) {
    for (const [name, service] of Object.entries(module.provide?.(context) ?? {})) {
      if (name in context) throw new Error(`The module ${module.name} provides ${name}, which is there already.`);
      context[name] = service;
    }
  }
  return context as Assembled<Modules, Base>;
}
