/** The one wait of a loop, which others may end early. */
export class WakeableSleep {
  #end: ((wasWoken: boolean) => void) | undefined;

  /** Resolves after `ms`, or when it is woken: to whether it was. */
  sleep(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end?.(false), ms);
      this.#end = (wasWoken) => {
        clearTimeout(timer);
        this.#end = undefined;
        resolve(wasWoken);
      };
    });
  }

  /** Does nothing while nobody sleeps: a loop looks at its state before it sleeps again. */
  wake(): void {
    this.#end?.(true);
  }
}
