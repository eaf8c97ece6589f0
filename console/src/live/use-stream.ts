import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState } from 'react';
import { affectedByEvent } from '../api/invalidation.ts';

export interface StreamedEvent {
  id: string;
  type: string;
  objectId: string;
}

/** `live`: what happens is shown at once. `polling`: the stream is cut, and pages are read again every few seconds. */
export type Liveness = 'connecting' | 'live' | 'polling';

export const LivenessContext = createContext<Liveness>('connecting');
export const useLiveness = (): Liveness => useContext(LivenessContext);

type Message = { event: StreamedEvent } | 'gap' | 'open' | 'cut';

/** Browsers allow six connections to a host, so that one window listens for all of them. */
const lockName = 'florin.stream';
const channelName = 'florin.stream';
/** Many events within this time are shown by one read. */
const gatherMs = 250;
const pollMs = 5_000;

/** Keeps what is shown up to date: reads again what the streamed events concern. */
export function useStream(): Liveness {
  const client = useQueryClient();
  const [liveness, setLiveness] = useState<Liveness>('connecting');

  useEffect(() => {
    const types = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      const gathered = [...types];
      types.clear();
      timer = undefined;
      const isStale = (path: string) => gathered.some((type) => type === 'gap' || affectedByEvent(type, path));
      // What fails to be read is shown where it would stand.
      client.invalidateQueries({ predicate: ({ queryKey }) => isStale(String(queryKey[0])) }).catch(() => {});
    };
    const stop = listen((message) => {
      if (message === 'open') setLiveness('live');
      else if (message === 'cut') setLiveness('polling');
      else {
        types.add(message === 'gap' ? 'gap' : message.event.type);
        timer ??= setTimeout(refresh, gatherMs);
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [client]);

  useEffect(() => {
    if (liveness !== 'polling') return;
    // As above.
    const timer = setInterval(() => client.invalidateQueries().catch(() => {}), pollMs);
    return () => clearInterval(timer);
  }, [liveness, client]);

  return liveness;
}

/** Listens in this window, or to the window that does. Returns how to stop. */
function listen(onMessage: (message: Message) => void): () => void {
  const stopped = new AbortController();
  const others = new BroadcastChannel(channelName);
  const tell = (message: Message) => {
    onMessage(message);
    others.postMessage(message);
  };
  others.onmessage = ({ data }: MessageEvent<Message>) => onMessage(data);
  stopped.signal.addEventListener('abort', () => others.close());

  // Locks need a secure context; without them every window listens for itself.
  if (navigator.locks === undefined) openStream(tell, stopped.signal);
  else {
    onMessage('open');
    navigator.locks
      .request(lockName, { signal: stopped.signal }, () => {
        openStream(tell, stopped.signal);
        return new Promise<void>((resolve) => stopped.signal.addEventListener('abort', () => resolve()));
      })
      // Rejects when it is stopped; for another reason there is no stream.
      .catch(() => stopped.signal.aborted || onMessage('cut'));
  }
  return () => stopped.abort();
}

function openStream(tell: (message: Message) => void, signal: AbortSignal): void {
  // Resumes by itself, with the id of the last event.
  const source = new EventSource('/api/stream');
  let wasCut = false;
  source.onopen = () => {
    tell('open');
    if (wasCut) tell('gap');
    wasCut = false;
  };
  source.onerror = () => {
    wasCut = true;
    tell('cut');
    // A refusal ends it, such as while the database is away.
    if (source.readyState === EventSource.CLOSED && !signal.aborted) {
      setTimeout(() => !signal.aborted && openStream(tell, signal), pollMs);
    }
  };
  source.onmessage = ({ data }: MessageEvent<string>) => tell({ event: JSON.parse(data) as StreamedEvent });
  source.addEventListener('gap', () => tell('gap'));
  signal.addEventListener('abort', () => source.close());
}
