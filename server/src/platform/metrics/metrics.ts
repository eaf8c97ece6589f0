import { Counter, collectDefaultMetrics, Gauge, Histogram, type LabelValues, Registry } from '@prometheus-io/client';

/** Bucket limits in seconds. A request for one payment usually takes 1 to 10 ms. */
export const requestSecondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * How often the delay of the event loop is measured. At the library's 10 ms this timer alone used 4.4 ms of CPU time a
 * second, a quarter of what an idle process used; at 50 ms 1.5.
 */
const eventLoopSampleMs = 50;
/**
 * How often its utilization is. At the library's 100 ms, each of which enters five digests of quantiles, a seventh of
 * what an idle process used.
 */
const utilizationSampleMs = 1_000;

/** The metrics of this node. Modules add their own; docs/guides/operations.md explains which to watch. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #ofDatabase: boolean;

  /** `ofDatabase`: whether this process reports what the database says; one process of a node does. */
  constructor({ ofDatabase = true } = {}) {
    this.#ofDatabase = ofDatabase;
    collectDefaultMetrics({
      register: this.#registry,
      eventLoopMonitoringPrecision: eventLoopSampleMs,
      eventLoopUtilizationTimeout: utilizationSampleMs,
    });
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }

  /** A counter of what is counted elsewhere: `take` returns, by labels, what was added since it was last called. */
  collectedCounter<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    take: () => Iterable<[LabelValues<Label>, number]>,
  ): void {
    new Counter<Label>({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        for (const [labels, added] of take()) this.inc(labels, added);
      },
    });
  }

  /** `collect` sets the gauge whenever the metrics are read. It must not fail. */
  gauge<Label extends string>(
    name: string,
    help: string,
    collect: (gauge: Gauge<Label>) => Promise<void>,
    labelNames: Label[] = [],
  ): void {
    new Gauge<Label>({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      async collect() {
        await collect(this as Gauge<Label>);
      },
    });
  }

  /** A gauge of what the database says, which is the same for all processes of a node. */
  databaseGauge(name: string, help: string, collect: (gauge: Gauge) => Promise<void>): void {
    this.nodeGauge(name, help, [], collect);
  }

  /** A gauge that is the same for all processes of a node, with labels. One process reports it. */
  nodeGauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    collect: (gauge: Gauge<Label>) => Promise<void>,
  ): void {
    if (this.#ofDatabase) this.gauge(name, help, collect, labelNames);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
