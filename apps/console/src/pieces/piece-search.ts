import type { Piece } from '../api/pieces';

type Sought = Pick<Piece, 'name' | 'displayName' | 'description'> & Record<'triggers' | 'actions', Items>;
type Items = Readonly<Record<string, { displayName: string }>>;

/** Whether a piece is one that the person looks for: by its name, its description, or what it can do. */
export function matches({ name, displayName, description, triggers, actions }: Sought, sought: string): boolean {
  const items = [...Object.values(triggers), ...Object.values(actions)].map((item) => item.displayName);
  const text = [name, displayName, description, ...items].join('\n').toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
