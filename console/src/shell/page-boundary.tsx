import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { EmptyState } from '../ui/notes.tsx';
import { Page } from '../ui/page.tsx';
import { useText } from './preferences.tsx';

const reloadedKey = 'florin.reloaded';
const reloadAgainMs = 60_000;

/** What Chromium, Firefox and Safari say when a script cannot be loaded, and Vite when a style sheet cannot. */
const missingFile = /dynamically imported module|Importing a module script failed|Unable to preload/;

interface PageBoundaryProps {
  /** Another page may succeed. */
  path: string;
  children: ReactNode;
}

/**
 * Shows that a page has failed, and keeps the navigation. After an upgrade of the service an open console asks for
 * files that are gone: then the page is loaded again, once, which brings the new ones.
 */
export class PageBoundary extends Component<PageBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate({ path }: PageBoundaryProps) {
    if (this.state.hasFailed && path !== this.props.path) this.setState({ hasFailed: false });
  }

  override componentDidCatch(error: unknown) {
    const reloadedAt = Number(sessionStorage.getItem(reloadedKey));
    if (!missingFile.test(String(error)) || Date.now() - reloadedAt < reloadAgainMs) return;
    sessionStorage.setItem(reloadedKey, String(Date.now()));
    location.reload();
  }

  override render() {
    return this.state.hasFailed ? <FailedPage /> : this.props.children;
  }
}

function FailedPage() {
  const text = useText();
  return (
    <Page title={text('failedPage.title')}>
      <EmptyState title={text('failedPage.hint')}>
        <Button w="fit-content" onClick={() => location.reload()}>
          {text('common.tryAgain')}
        </Button>
      </EmptyState>
    </Page>
  );
}
