export function prune(modules: string, folder?: string): void;
