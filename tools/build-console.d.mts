export declare function buildConsole(): void;
