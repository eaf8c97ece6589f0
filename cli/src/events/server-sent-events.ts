/** A message of `text/event-stream`. */
export interface Message {
  id: string | undefined;
  /** `message` if the stream names none. */
  event: string;
  data: string;
}

/**
 * The messages of a stream, as they arrive. A comment, which servers send to keep the connection alive, is undefined.
 */
export async function* messagesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Message | undefined, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield messageOf(block.split('\n'));
  }
}

function messageOf(lines: readonly string[]): Message | undefined {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name !== '') fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event') ?? 'message', data };
}
