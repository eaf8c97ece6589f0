import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { OtherProcesses } from '../../platform/process/other-processes.ts';

/** The processes of this node, as one of them sees them. */
export interface ProcessGroup {
  /** 1 is the first process, which starts PostgreSQL, runs the workers and starts the others. */
  readonly number: number;
  readonly otherProcesses: OtherProcesses;
  /** The metrics of this process, for whichever process is asked. */
  attach: (metrics: Metrics) => void;
  /** The metrics of all processes in Prometheus text format, each with the label `process`. */
  metricsOfAll: () => Promise<string>;
}
