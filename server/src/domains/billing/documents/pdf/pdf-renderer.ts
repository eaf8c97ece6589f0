import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../../../../core/errors.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Log } from '../../../../platform/process/log.ts';
import { ProcessPool, type TaskOutcome } from '../../../../platform/process/process-pool.ts';
import type { InvoiceDocument } from '../document.ts';
import { type WorkbookRequest, workbookStream } from '../spreadsheet/workbook.ts';
import type { DocumentTask } from './pdf-process.ts';

/** A PDF takes 20 to 60 kB. */
const cacheBytes = 8 * 1024 * 1024;
const cachedForMs = 10 * 60_000;
/** A process with the library and the fonts takes 100 to 170 MB. Starting one takes 0.4 s. */
const idleMs = 30_000;
/** The heap limit of a process; the largest invoice needs 60 MB. */
const memoryMb = 256;

export interface PdfRendererOptions {
  /** `app.invoice.pdf-processes` */
  processes: number;
  /** `app.invoice.pdf-waiting` */
  maximumWaiting: number;
  /** `app.invoice.pdf-timeout` */
  timeoutMs: number;
  stopping: AbortSignal;
  log: Pick<Log, 'warn'>;
  /** Tests replace the module that the processes run. */
  entry?: URL;
}

export interface PdfRequest {
  /** The cache key (`tagOf`). */
  tag: string;
  invoice: InvoiceDocument;
  /** Tenants take turns. */
  tenantId: number;
}

/** A million rows take 40 s. */
const workbookTimeoutMs = 5 * 60_000;

/**
 * Renders PDFs and writes workbooks in separate processes, of which a limited number runs, and caches recent PDFs in
 * memory.
 */
export class PdfRenderer {
  readonly #pool: ProcessPool<DocumentTask, Uint8Array | null>;
  readonly #cache: LRUCache<string, Buffer, PdfRequest>;
  readonly #options: PdfRendererOptions;

  constructor(options: PdfRendererOptions) {
    const {
      entry = new URL('./pdf-process.ts', import.meta.url),
      processes,
      maximumWaiting,
      timeoutMs,
      stopping,
    } = options;
    this.#options = options;
    this.#pool = new ProcessPool({ entry, processes, maximumWaiting, timeoutMs, idleMs, memoryMb, stopping });
    this.#cache = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: ({ length }) => length,
      ttl: cachedForMs,
      ttlAutopurge: true,
      // Concurrent requests for the same PDF share one rendering.
      fetchMethod: (_tag, _stale, { context }) => this.#render(context),
    });
  }

  get running(): number {
    return this.#pool.running;
  }

  get waiting(): number {
    return this.#pool.waiting;
  }

  /** Refuses with `overloaded`, `rendering_failed` or `shutting_down`. */
  pdf(request: PdfRequest): Promise<Buffer> {
    return this.#cache.forceFetch(request.tag, { context: request });
  }

  /** A workbook as a stream. Refuses with `overloaded`, `rendering_failed` or `shutting_down` before its first byte. */
  spreadsheet(request: WorkbookRequest): Promise<Readable> {
    return workbookStream(
      request,
      (task) => this.#pool.run(task, String(request.tenantId), workbookTimeoutMs),
      (outcome) => {
        if (outcome.outcome === 'done') return;
        throw this.#refusalOf(outcome, {
          what: 'workbook',
          timeoutMs: workbookTimeoutMs,
          facts: { title: request.title },
        });
      },
    );
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  async #render({ invoice, tenantId }: PdfRequest): Promise<Buffer> {
    const result = await this.#pool.run(invoice, String(tenantId));
    if (result.outcome !== 'done') {
      const instead = `The page needs no renderer: ${invoice.payerPage ?? `/api/invoice/print?id=${invoice.id}`}.`;
      const { timeoutMs } = this.#options;
      throw this.#refusalOf(result, { what: 'PDF', timeoutMs, facts: { invoice: invoice.id }, instead });
    }
    const { buffer, byteOffset, byteLength } = result.value as Uint8Array;
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  #refusalOf(
    result: Exclude<TaskOutcome<unknown>, { outcome: 'done' }>,
    { what, timeoutMs, facts, instead }: { what: string; timeoutMs: number; facts: object; instead?: string },
  ): Refusal {
    if (result.outcome === 'full')
      return new Refusal('overloaded', rule('rendering_waits', { what }), {
        retryAfterSeconds: 5,
      });
    if (result.outcome === 'stopped')
      return new Refusal('shutting_down', 'This node is stopping. Ask another.', { retryAfterSeconds: 1 });
    const cause = result.outcome === 'failed' ? result.error : undefined;
    const values = { what, instead: instead ?? '' };
    const broken =
      cause === undefined
        ? rule('rendering_slow', { ...values, limit: timeoutMs / 1000 })
        : rule('rendering_broken', values);
    this.#options.log.warn({ ...facts, error: cause, reason: broken.rule }, `A ${what} could not be rendered`);
    return new Refusal('rendering_failed', broken, { retryAfterSeconds: 30, cause });
  }
}
