import type { Schemas } from '../api/client';
import type { Step } from '../flow-picture/step';
import { words } from './panel-words';

export type Piece = Schemas['Piece'];

/** Something that can be put into a flow. */
export interface StepKind {
  id: string;
  name: string;
  says: string;
  /** What is searched besides the name. */
  piece: string;
  type: Step['type'];
  settings: () => Record<string, unknown>;
  children?: (Step | null)[];
}

const NEW_CODE = 'export const code = async (inputs) => {\n  return {};\n};\n';

const BUILT_IN: readonly StepKind[] = [
  {
    id: 'code',
    name: words.code,
    says: words.codeSays,
    piece: '',
    type: 'CODE',
    settings: () => ({ sourceCode: { code: NEW_CODE, packageJson: '{}' }, input: {} }),
  },
  {
    id: 'loop',
    name: words.loop,
    says: words.loopSays,
    piece: '',
    type: 'LOOP_ON_ITEMS',
    settings: () => ({ items: '' }),
  },
  {
    id: 'router',
    name: words.router,
    says: words.routerSays,
    piece: '',
    type: 'ROUTER',
    settings: () => ({
      executionType: 'EXECUTE_FIRST_MATCH',
      branches: [
        { branchType: 'CONDITION', branchName: words.newBranch(1), conditions: [[NEW_CONDITION]] },
        { branchType: 'FALLBACK', branchName: words.fallback },
      ],
    }),
    children: [null, null],
  },
];

export const NEW_CONDITION = { firstValue: '', operator: 'EXISTS' };

/** The kinds of steps that can be added: those without a piece first. */
export const stepKinds = (pieces: readonly Piece[]): StepKind[] => [
  ...BUILT_IN,
  ...pieces.flatMap((piece) =>
    Object.entries(piece.actions).map(([actionName, { displayName, description }]) =>
      ofPiece(piece, { type: 'PIECE', displayName, description, settings: { actionName } }),
    ),
  ),
];

export const triggerKinds = (pieces: readonly Piece[]): StepKind[] =>
  pieces.flatMap((piece) =>
    Object.entries(piece.triggers).map(([triggerName, { displayName, description }]) =>
      ofPiece(piece, { type: 'PIECE_TRIGGER', displayName, description, settings: { triggerName } }),
    ),
  );

interface PartOfPiece {
  type: Step['type'];
  displayName: string;
  description: string;
  settings: Record<string, string>;
}

const ofPiece = (
  { name: pieceName, displayName: piece, version: pieceVersion }: Piece,
  { type, displayName, description, settings }: PartOfPiece,
): StepKind => ({
  id: `${pieceName} ${Object.values(settings).join(' ')}`,
  name: displayName,
  says: description,
  piece,
  type,
  settings: () => ({ pieceName, pieceVersion, ...settings, input: {}, propertySettings: {} }),
});

/** The kinds whose name, piece or description has every word that was typed. Names are better than descriptions. */
export function matchingKinds(kinds: readonly StepKind[], typed: string): StepKind[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string) => wanted.every((word) => text.toLowerCase().includes(word));
  const byName = kinds.filter(({ name, piece }) => has(`${name} ${piece}`));
  return [
    ...byName,
    ...kinds.filter((kind) => !byName.includes(kind) && has(`${kind.name} ${kind.piece} ${kind.says}`)),
  ];
}

/** A new step under the next free name. */
export function newStep({ name: displayName, type, settings, children }: StepKind, taken: ReadonlySet<string>): Step {
  let number = 1;
  while (taken.has(`step_${number}`)) number += 1;
  const step: Step = { name: `step_${number}`, displayName, type, valid: true, settings: settings() };
  return children ? { ...step, children } : step;
}

/** The trigger with what it is replaced by another kind. */
export const newTrigger = ({ name: displayName, type, settings }: StepKind, old: Step): Step => ({
  name: old.name,
  displayName,
  type,
  valid: true,
  settings: settings(),
});
