import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState } from 'react';
import { basePath } from '../api/base-path.ts';
import { addressOf } from '../api/client.ts';
import { affectedByEvent } from '../api/invalidation.ts';

interface StreamedEvent {
  id: string;
  type: string;
  objectId: string;
}

/**
 * `live`: events are shown at once. `polling`: the stream is interrupted, and pages are refetched every few seconds.
 */
type StreamState = 'connecting' | 'live' | 'polling';

export const StreamStateContext = createContext<StreamState>('connecting');
export const useStreamState = (): StreamState => useContext(StreamStateContext);

type Message = { event: StreamedEvent } | 'gap' | 'open' | 'lost';

/** Browsers allow six connections to a host, so one window has the stream for all windows of this service. */
const lockName = `florin.stream${basePath}`;
const channelName = lockName;
/** The events within this time cause one refetch. */
const batchMs = 250;
const pollMs = 5_000;

/** Keeps pages up to date: refetches what the streamed events affect. */
export function useStream(): StreamState {
  const client = useQueryClient();
  const [streamState, setState] = useState<StreamState>('connecting');

  useEffect(() => {
    const types = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      const changed = [...types];
      types.clear();
      timer = undefined;
      const isStale = (path: string) => changed.some((type) => type === 'gap' || affectedByEvent(type, path));
      // Each component shows the failure of its own query.
      client.invalidateQueries({ predicate: ({ queryKey }) => isStale(String(queryKey[0])) }).catch(() => {});
    };
    const stop = listen((message) => {
      if (message === 'open') setState('live');
      else if (message === 'lost') setState('polling');
      else {
        types.add(message === 'gap' ? 'gap' : message.event.type);
        timer ??= setTimeout(refresh, batchMs);
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [client]);

  useEffect(() => {
    if (streamState !== 'polling') return;
    // As above.
    const timer = setInterval(() => client.invalidateQueries().catch(() => {}), pollMs);
    return () => clearInterval(timer);
  }, [streamState, client]);

  return streamState;
}

/**
 * Opens the stream in this window, or receives messages from the window that has it. Returns a function that stops it.
 */
function listen(onMessage: (message: Message) => void): () => void {
  const stopped = new AbortController();
  const others = new BroadcastChannel(channelName);
  const tell = (message: Message) => {
    onMessage(message);
    others.postMessage(message);
  };
  others.onmessage = ({ data }: MessageEvent<Message>) => onMessage(data);
  stopped.signal.addEventListener('abort', () => others.close());

  // Locks need a secure context; without them every window opens a stream.
  if (navigator.locks === undefined) openStream(tell, stopped.signal);
  else {
    onMessage('open');
    navigator.locks
      .request(lockName, { signal: stopped.signal }, () => {
        openStream(tell, stopped.signal);
        return new Promise<void>((resolve) => stopped.signal.addEventListener('abort', () => resolve()));
      })
      // Rejects when it is stopped. After any other failure there is no stream.
      .catch(() => stopped.signal.aborted || onMessage('lost'));
  }
  return () => stopped.abort();
}

function openStream(tell: (message: Message) => void, signal: AbortSignal): void {
  // Reconnects by itself, with the id of the last event.
  const source = new EventSource(addressOf('/api/stream'));
  let wasLost = false;
  source.onopen = () => {
    tell('open');
    if (wasLost) tell('gap');
    wasLost = false;
  };
  source.onerror = () => {
    wasLost = true;
    tell('lost');
    // A refusal closes it, for example while the database is unavailable.
    if (source.readyState === EventSource.CLOSED && !signal.aborted) {
      setTimeout(() => !signal.aborted && openStream(tell, signal), pollMs);
    }
  };
  source.onmessage = ({ data }: MessageEvent<string>) => tell({ event: JSON.parse(data) as StreamedEvent });
  source.addEventListener('gap', () => tell('gap'));
  signal.addEventListener('abort', () => source.close());
}
