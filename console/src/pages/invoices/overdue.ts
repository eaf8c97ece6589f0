const dayMs = 86_400_000;

/** Invoices are due on UTC days. */
export const todayUtc = () => new Date().toISOString().slice(0, 10);

export const dayBefore = (day: string) => new Date(Date.parse(day) - dayMs).toISOString().slice(0, 10);

/** For how many days an open invoice has been overdue; 0: it is not. */
export function daysOverdue(
  { status, dueDate }: { status: string; dueDate: string | null },
  today = todayUtc(),
): number {
  if (status !== 'OPEN' || dueDate === null) return 0;
  return Math.max(0, Math.round((Date.parse(today) - Date.parse(dueDate)) / dayMs));
}
