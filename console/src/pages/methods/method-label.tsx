import type { PaymentMethod } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { LinkText } from '../../ui/link-text.tsx';

/** Returns a function that names a payment method as its owner knows it: `Visa •••• 4242`. */
export function useMethodLabel(): (method: Pick<PaymentMethod, 'type' | 'brand' | 'bankName' | 'last4'>) => string {
  const text = useText();
  return ({ type, brand, bankName, last4 }) => {
    const name = brand ?? bankName;
    const shown =
      name === null ? text(`methodType.${type}` as TextKey) : name.slice(0, 1).toUpperCase() + name.slice(1);
    return last4 === null ? shown : `${shown} •••• ${last4}`;
  };
}

/** A payment method, with a link to its customer. Shows the id until the method is loaded. */
export function MethodLink({ id }: { id: string }) {
  const labelOf = useMethodLabel();
  const { data } = useRead('paymentMethods.get', { id });
  if (data === undefined) return id;
  return <LinkText href={`/customers/${data.data.customerId}`}>{labelOf(data.data)}</LinkText>;
}
