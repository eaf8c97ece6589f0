import type { TSchema } from 'typebox';
import type { RefusalKind } from '../core/errors.ts';
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
 * One domain of the product, declared once, as data that is read without a running node. The HTTP server, the OpenAPI
 * document, the workers, `npm run verify`, the retention sweeps, the settings, the generated docs and the layer check
 * are derived from the ordered list of modules in `app/modules.ts`. Only routes, workers and sweeps need a node: they
 * get its services, `App`.
 */
export interface Module<App = never> {
  /** The name of the folder: `refunds`. */
  name: string;
  /** The tables that only this module writes. */
  tables: readonly string[];
  settings?: SettingDeclarations;
  /**
   * The types of its events, each with the scope that a caller needs to read them: that of the record that they are
   * about.
   */
  eventTypes?: Readonly<Record<`${string}.${string}`, Scope>>;
  /**
   * The actions that it enters into the audit log, each with its meaning. The part before the dot is the type of the
   * record. Names are stable: they are stored, filtered by and exported.
   */
  auditActions?: Readonly<Record<`${string}.${string}`, string>>;
  /** The error types that are about its records. They are stable, because programs depend on them. */
  errors?: Readonly<Record<string, RefusalKind>>;
  /** Groups of the API reference, in order. */
  reference?: readonly ReferenceGroup[];
  routes?: readonly Route<App>[];
  workers?: (app: App) => readonly BackgroundWorker[];
  retention?: (app: App) => readonly RetentionSweep[];
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
  /** The shapes of `data.object` in events about its records, by event type (`refund.failed`) or noun (`refund`). */
  eventObjects?: Readonly<Record<string, TSchema>>;
}

/** Turns a union into an intersection. */
export type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The settings that a module declares. */
export type OwnSettings<M> = M extends { settings?: infer Own } ? (unknown extends Own ? never : Own) : never;
