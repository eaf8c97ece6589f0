/** Query parameters; empty ones are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;
