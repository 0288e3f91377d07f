import { ArchiveIcon, ChevronLeftIcon, ChevronRightIcon } from '@radix-ui/react-icons';
import { useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import type { Piece } from '../api/pieces';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { Problem } from '../controls/problem';
import { StepIcon } from '../flow-picture/step-card';
import type { App } from './apps';
import styles from './flow-editor.module.css';
import type { StepKind } from './new-step';
import type { Offer, OfferGroup } from './offers';
import { useOffers, type Offered } from './use-offers';
import { words } from './panel-words';

interface AddStepDialogProps {
  title: string;
  offered: Offered;
  pieces: readonly Piece[];
  onChoose: (kind: StepKind) => void;
  onClose: () => void;
}

/**
 * A palette of steps: typing searches, the arrows choose, Enter takes. A package opens, and shows what it can do; Backspace
 * leads back.
 */
export function AddStepDialog({ title, onClose, ...from }: AddStepDialogProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { typed, type, opened, open, groups, offers, apps, chosen, take, onKeyDown } = usePalette(from, id, input);
  const label = opened ? words.searchIn(opened.name) : words.searchSteps;
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {opened && (
        <div>
          <Button onClick={() => open(null)}>
            <ChevronLeftIcon aria-hidden /> {words.allOffers}
          </Button>
        </div>
      )}
      <input
        ref={input}
        role="combobox"
        aria-label={label}
        placeholder={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={offers.length > 0 ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        className={styles['search']}
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <OfferList key={opened?.id} {...{ id, groups, chosen }} onTake={take} />
      {apps.isLoading && <p role="status">{words.loadingApps}</p>}
      {apps.error && <Problem error={apps.error} onTryAgain={apps.tryAgain} />}
      {offers.length === 0 && !apps.isLoading && <p role="status">{words.noStepMatches}</p>}
    </Dialog>
  );
}

/** What is typed, offered and chosen. The rows have the id of the list and their place as their ids. */
function usePalette(
  { offered, pieces, onChoose }: Pick<AddStepDialogProps, 'offered' | 'pieces' | 'onChoose'>,
  id: string,
  input: RefObject<HTMLInputElement | null>,
) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const [opened, setOpened] = useState<App | null>(null);
  const { groups, apps } = useOffers({ offered, pieces, opened, typed });
  const offers = groups.flatMap((group) => group.offers);
  const type = (text: string) => {
    setTyped(text);
    setChosen(0);
  };
  const open = (app: App | null) => {
    setOpened(app);
    type('');
    input.current?.focus();
  };
  const take = (offer: Offer) => ('app' in offer ? open(offer.app) : onChoose(offer.kind));
  const move = (to: number) => {
    const index = Math.max(0, Math.min(offers.length - 1, to));
    setChosen(index);
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const offer = offers[chosen];
    const keys: Record<string, (() => void) | false> = {
      ArrowDown: () => move(chosen + 1),
      ArrowUp: () => move(chosen - 1),
      Enter: () => offer && take(offer),
      Backspace: opened !== null && typed === '' && (() => open(null)),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return { typed, type, opened, open, groups, offers, apps, chosen, take, onKeyDown };
}

interface OfferListProps {
  id: string;
  groups: readonly OfferGroup[];
  /** The place of the one that Enter takes, among all. */
  chosen: number;
  onTake: (offer: Offer) => void;
}

function OfferList({ id, groups, chosen, onTake }: OfferListProps) {
  let index = 0;
  return (
    <div id={id} role="listbox" aria-label={words.steps} className={styles['kinds']}>
      {groups.map(({ name, offers, more }) => (
        <div key={name} role="group" aria-label={name}>
          {groups.length > 1 && (
            <div aria-hidden className={styles['kindGroup']}>
              {name}
            </div>
          )}
          {offers.map((offer) => {
            const at = index++;
            return (
              <div
                key={'app' in offer ? offer.app.id : offer.kind.id}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === chosen}
                className={styles['kindRow']}
                // The focus stays in the field.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onTake(offer)}
              >
                {'app' in offer ? <AppRow app={offer.app} /> : <KindRow kind={offer.kind} />}
              </div>
            );
          })}
          {more > 0 && (
            <div aria-hidden className={styles['kindGroup']}>
              {words.moreOffers(more)}
            </div>
          )}
        </div>
      ))}
    </div>
  );
}

const KindRow = ({ kind: { type, name, piece, says } }: { kind: StepKind }) => (
  <>
    <StepIcon type={type} />
    <span>
      <b>{name}</b> <span className={styles['quiet']}>{piece}</span>
      <span className={styles['says']}>{says}</span>
    </span>
  </>
);

const AppRow = ({ app: { name, says, kinds } }: { app: App }) => (
  <>
    <ArchiveIcon aria-hidden className={styles['appIcon']} />
    <span className={styles['appName']}>
      <b>{name}</b> <span className={styles['quiet']}>{words.offersOf(kinds)}</span>
      <span className={styles['says']}>{says}</span>
    </span>
    <ChevronRightIcon aria-hidden className={styles['appArrow']} />
  </>
);
