import { serveTasks } from '../../../../platform/process/serve-tasks.ts';
import { renderPdf } from './pdf.ts';

// The entry point of the processes of `pdf-renderer.ts`.
serveTasks(renderPdf);
