import { Button } from '../controls/button';
import { lazyPart } from '../controls/lazy-part';
import { Banner } from './banner';
import type { Draft } from './draft';
import type { DraftStore } from './draft-store';
import { words } from './words';

/** All but this is said after an answer of the service, which has the part as well. */
const TroubleChoices = lazyPart(async () => (await import('./trouble-choices')).TroubleChoices);

interface TroubleBannerProps {
  draft: Draft;
  store: DraftStore;
}

/** Says why changes are not saved, and what can be done. */
export function TroubleBanner({ draft, store }: TroubleBannerProps) {
  const { trouble } = draft;
  if (!trouble) return null;
  if (trouble.kind !== 'away') return <TroubleChoices {...{ draft, store, trouble }} />;
  return (
    <Banner title={trouble.message} lines={[words.away]}>
      <Button onClick={store.tryAgain}>{words.tryNow}</Button>
    </Banner>
  );
}
