/** Whether `npm start` would run the bundle of the present sources. */
export function isBundled(): boolean;
/** Writes the bundle. */
export function bundle(): Promise<void>;
