/** Ends a command with one line that says what is wrong and what to do. */
export class CommandFailure extends Error {}
