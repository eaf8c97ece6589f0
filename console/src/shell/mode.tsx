import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

interface Mode {
  /** False: test records are shown, and made. */
  livemode: boolean;
  setLivemode: (livemode: boolean) => void;
}

const storageKey = 'florin.mode';
const Context = createContext<Mode>({ livemode: true, setLivemode: () => {} });

/** Live or test, kept for this browser. */
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

/** Shows the mode of a record, whichever was chosen before: its address may have come from elsewhere. */
export function useModeOf(record: { livemode?: boolean } | undefined): void {
  const { livemode, setLivemode } = useMode();
  const ofRecord = record?.livemode;
  useEffect(() => {
    if (ofRecord !== undefined && ofRecord !== livemode) setLivemode(ofRecord);
  }, [ofRecord, livemode, setLivemode]);
}
