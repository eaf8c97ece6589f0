import { useText } from '../../shell/preferences.tsx';
import { Page } from '../../ui/page.tsx';

export default function HomePage() {
  const text = useText();
  return <Page title={text('home.title')}>{null}</Page>;
}
