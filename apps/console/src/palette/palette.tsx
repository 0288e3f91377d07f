import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Dialog } from '../controls/dialog';
import { foundFlowsQuery } from './found-flows';
import styles from './palette.module.css';
import { words } from './words';

export interface Destination {
  name: string;
  address: string;
}

interface PaletteProps {
  projectId: string;
  /** The pages that the person may go to. */
  pages: readonly Destination[];
  onClose: () => void;
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Goes to any page, any flow by a part of its name, and any run by its id. */
export function Palette({ projectId, pages, onClose }: PaletteProps) {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const sought = typed.trim();
  const { data: flows = [] } = useQuery(foundFlowsQuery(projectId, sought));
  const found = pages.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase()));
  const ids = ID.test(sought) ? [{ name: words.run(sought), address: `/runs/${sought}` }] : [];
  const go = (address: string) => {
    onClose();
    void navigate(address);
  };
  return (
    <Dialog title={words.palette} isOpen onClose={onClose}>
      <Command label={words.palette} shouldFilter={false} loop>
        <Command.Input
          value={typed}
          onValueChange={setTyped}
          placeholder={words.hint}
          aria-label={words.palette}
          className={styles['input']}
        />
        <Command.List label={words.results} className={styles['list']}>
          <Command.Empty>{words.nothing}</Command.Empty>
          {[...ids, ...found, ...flows].map(({ name, address }) => (
            <Command.Item key={address} value={address} onSelect={() => go(address)} className={styles['item']}>
              {name}
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}
