import type { Topic } from '../postgres/statement.ts';
import type { DueWork } from './due-work-poller.ts';

/** Background work of a node. */
export interface BackgroundWorker {
  name: string;
  start: () => void;
  /** Resolves when none of its work is running any more. */
  stop: () => Promise<void>;
  /** Polls for due work at once. Called when the topic of `dueWork` or `wakesOn` is published. */
  wake?: () => void;
  /** The topic that wakes the worker, and the query by which the poller finds its due work. */
  dueWork?: DueWork | undefined;
  /** The topic that wakes a worker without `dueWork`, which polls for itself only. */
  wakesOn?: Topic | undefined;
  /**
   * Releases the leases of processes that have died, so that their work is due at once. Called before the workers
   * start, and only when no other process can use the database.
   */
  freeDeadLeases?: () => Promise<void>;
  /**
   * Called when the database's clock was set back: shortens leases and due times that are further ahead than possible.
   */
  clockWasSetBack?: () => Promise<void>;
}
