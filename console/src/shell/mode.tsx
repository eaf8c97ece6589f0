import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

interface Mode {
  /** False: test records are shown and created. */
  livemode: boolean;
  setLivemode: (livemode: boolean) => void;
}

const storageKey = 'florin.mode';
const Context = createContext<Mode>({ livemode: true, setLivemode: () => {} });

/** Live or test mode, stored in this browser. */
export function ModeProvider({ children }: { children: ReactNode }) {
  const [livemode, set] = useState(() => localStorage.getItem(storageKey) !== 'test');
  const value = useMemo(
    () => ({
      livemode,
      setLivemode: (next: boolean) => {
        localStorage.setItem(storageKey, next ? 'live' : 'test');
        set(next);
      },
    }),
    [livemode],
  );
  return <Context value={value}>{children}</Context>;
}

export const useMode = (): Mode => useContext(Context);

/** Switches to the mode of a record, because a link may lead to a record of the other mode. */
export function useModeOf(record: { livemode?: boolean } | undefined): void {
  const { livemode, setLivemode } = useMode();
  const ofRecord = record?.livemode;
  useEffect(() => {
    if (ofRecord !== undefined && ofRecord !== livemode) setLivemode(ofRecord);
  }, [ofRecord, livemode, setLivemode]);
}
