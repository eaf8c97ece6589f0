import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { Router, useLocation, useSearch } from 'wouter';
import { useProfile } from '../session/session.tsx';
import { withoutPlace } from '../ui/filters/use-filters.ts';

interface Mode {
  /** False: test records are shown and created. */
  livemode: boolean;
  /** Shows the same page in this mode; a page about one record leads to the list. This browser then starts in it. */
  chooseMode: (livemode: boolean) => void;
  /** Shows the same page in this mode, without a new entry of the history. */
  replaceMode: (livemode: boolean) => void;
}

/**
 * With this the path of every page begins in Test. Paths in Live have no mark, so that links from before stay right.
 */
const testPath = '/test';
const storageKey = 'florin.mode';
const Context = createContext<Mode>({ livemode: true, chooseMode: () => {}, replaceMode: () => {} });

/**
 * Live or test mode. It is part of the address, so that a link shows a colleague the same rows. The bare address starts
 * in the mode that this browser chose last; before any choice in Test, until there is a channel for live payments.
 */
export function ModeProvider({ children }: { children: ReactNode }) {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const { hasLiveChannel } = useProfile();
  const livemode = !testPaths.test(path);
  const [isUndecided, setUndecided] = useState(path === '/');
  const chosen = localStorage.getItem(storageKey) ?? (hasLiveChannel ? 'live' : 'test');

  useLayoutEffect(() => {
    if (isUndecided && chosen === 'test') navigate(testPath, { replace: true });
    setUndecided(false);
  }, [isUndecided, chosen, navigate]);

  const value = useMemo(() => {
    const page = path.replace(testPaths, '') || '/';
    const pathIn = (inLive: boolean, relative: string) => (inLive ? relative : testPath + relative.replace(/^\/$/, ''));
    return {
      livemode,
      chooseMode: (next: boolean) => {
        localStorage.setItem(storageKey, next ? 'live' : 'test');
        navigate(pathIn(next, `/${page.split('/')[1]}`) + queryOf(withoutPlace(search).toString()));
      },
      replaceMode: (next: boolean) => navigate(pathIn(next, page) + queryOf(search), { replace: true }),
    };
  }, [livemode, path, search, navigate]);
  return <Context value={value}>{!isUndecided && <Router base={livemode ? '' : testPath}>{children}</Router>}</Context>;
}

const testPaths = /^\/test(?=\/|$)/i;

const queryOf = (search: string) => (search === '' ? '' : `?${search}`);

export const useMode = (): Mode => useContext(Context);

/**
 * Switches to the mode of a record, because a link may lead to a record of the other mode. Returns whether the page is
 * in that mode.
 */
export function useModeOf(record: { livemode?: boolean } | undefined): boolean {
  const { livemode, replaceMode } = useMode();
  const ofRecord = record?.livemode;
  const isRight = ofRecord === undefined || ofRecord === livemode;
  useEffect(() => {
    if (!isRight) replaceMode(!livemode);
  }, [isRight, livemode, replaceMode]);
  return isRight;
}
