import { afterEach, expect, test, vi } from 'vitest';
import type { InvoiceDocument } from '../../document.ts';
import { PdfRenderer } from '../pdf-renderer.ts';

let renderer: PdfRenderer;
const warn = vi.fn();
afterEach(() => renderer.stop());

/** A renderer whose processes perform the given tasks instead of rendering. */
function open(timeoutMs = 60_000): PdfRenderer {
  renderer = new PdfRenderer({
    processes: 1,
    maximumWaiting: 1,
    timeoutMs,
    stopping: new AbortController().signal,
    log: { warn },
    entry: new URL('../../../../../platform/process/fixture/task.ts', import.meta.url),
  });
  return renderer;
}

const order = (tag: string, does: 'exit' | 'loop' | 'answer') => ({
  tag,
  invoice: { does, value: Buffer.from(tag), id: 7 } as unknown as InvoiceDocument,
  tenantId: 1,
});

test('when the renderer crashes the PDF is refused, and the next one is rendered', async () => {
  open();
  await expect(renderer.pdf(order('a', 'exit'))).rejects.toMatchObject({
    type: 'rendering_failed',
    kind: 'unavailable',
    message: 'The PDF could not be rendered. The renderer failed. The page needs no renderer: /api/invoice/print?id=7.',
    retryAfterSeconds: 30,
  });
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ invoice: 7 }), 'A PDF could not be rendered');
  expect(String(await renderer.pdf(order('a', 'answer')))).toBe('a');
});

test('a PDF that takes too long is refused, and so is a request when too many wait', async () => {
  open(500);
  const slow = renderer.pdf(order('slow', 'loop'));
  const waiting = expect(renderer.pdf(order('waiting', 'loop'))).rejects.toMatchObject({ type: 'shutting_down' });
  await expect(renderer.pdf(order('more', 'answer'))).rejects.toMatchObject({
    type: 'overloaded',
    retryAfterSeconds: 5,
  });
  await expect(slow).rejects.toMatchObject({ type: 'rendering_failed', message: expect.stringContaining('0.5 s') });
  await renderer.stop();
  await waiting;
});

test('equal content is rendered once, even for concurrent requests', async () => {
  open();
  const [first, second] = await Promise.all([renderer.pdf(order('a', 'answer')), renderer.pdf(order('a', 'exit'))]);
  expect(second).toBe(first);
  expect(await renderer.pdf(order('a', 'exit'))).toBe(first);
});
