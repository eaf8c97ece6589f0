/** The signals by which a person or an init system ends a program; SIGHUP: its terminal was closed. */
export const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
