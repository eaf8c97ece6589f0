/** What the parts of a simulated account share. */
export interface StripeWorld {
  /** Whether its objects are of the live mode. */
  livemode: boolean;
  /** The address below which payers authenticate. */
  pages: string;
  /** Whether an intent is that of a Checkout Session. */
  isOfSession(intentId: string): boolean;
  /** The account's clock. */
  seconds(): number;
  /** Called for every change that Stripe sends an event for. */
  onEvent(type: string, object: { object: string }): void;
}
