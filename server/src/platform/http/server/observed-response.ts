import { type IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/**
 * A response that tells one observer when it ends: when all of it has been passed to the system, or when its client has
 * left. Fastify's `onResponse` hook says nothing about clients that leave, and its listeners took 8 % of the processor
 * time of a create (docs/decisions/answers-and-errors.md).
 */
export class ObservedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #reply: FastifyReply | undefined;
  #onEnd: ((reply: FastifyReply) => void) | undefined;

  /** Calls `onEnd` once. It must not throw. */
  observe(reply: FastifyReply, onEnd: (reply: FastifyReply) => void): void {
    this.#reply = reply;
    this.#onEnd = onEnd;
  }

  override end(...content: unknown[]): this {
    // How fast the client reads the answer is no reason to keep others waiting.
    this.#reply?.request.leaveTurn?.();
    super.end(...(content as []));
    // A small answer is passed to the system at once. Nothing more happens to one whose client has left before.
    if (this.writableLength === 0 || this.destroyed) this.#ended();
    else this.once('close', () => this.#ended());
    return this;
  }

  /** Fastify destroys the response to a client that left while a stream was sent. */
  override destroy(error?: Error): this {
    super.destroy(error);
    this.#ended();
    return this;
  }

  #ended(): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    this.#reply = undefined;
    this.#onEnd?.(reply);
  }
}
