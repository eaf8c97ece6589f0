import { useRead } from '../../api/hooks.ts';
import { LinkText } from '../../ui/link-text.tsx';

/** A link to an invoice, with its number; the id if it cannot be read or has no number yet. */
export function InvoiceNumber({ id }: { id: number }) {
  const { data, isPending } = useRead('invoices.get', { id });
  return isPending ? null : <LinkText href={`/invoices/${id}`}>{data?.data.number ?? id}</LinkText>;
}
