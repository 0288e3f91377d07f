import type { Piece } from '../api/pieces';

/** Whether a piece is one that the person looks for: by its name, its description, or what it can do. */
export function matches({ name, displayName, description, triggers, actions }: Piece, sought: string): boolean {
  const items = [...Object.values(triggers), ...Object.values(actions)].map((item) => item.displayName);
  const text = [name, displayName, description, ...items].join('\n').toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
