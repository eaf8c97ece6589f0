import { serveTasks } from '../../../../platform/process/serve-tasks.ts';
import type { InvoiceDocument } from '../document.ts';
import type { WorkbookTask } from '../spreadsheet/write-workbook.ts';

/** What the processes of `pdf-renderer.ts` do: render an invoice, or write a workbook into a file. */
export type DocumentTask = InvoiceDocument | WorkbookTask;

// The entry point of these processes. A library is loaded by the first task that needs it.
serveTasks<DocumentTask, Uint8Array | null>(async (task) => {
  if ('rowsFile' in task) return (await import('../spreadsheet/write-workbook.ts')).writeWorkbook(task);
  return (await import('./pdf.ts')).renderPdf(task);
});
