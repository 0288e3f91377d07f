import { useQuery } from '@tanstack/react-query';
import { pieceIfThereQuery, type Piece } from '../api/pieces';
import type { Step } from '../flow-picture/step';
import { isSame, listedPiece, refOf } from './wanted-piece';

/** The piece of a step, or why it is not shown. */
export type StepPiece =
  | { state: 'known'; piece: Piece }
  | { state: 'loading' }
  /** The service installs the package while it saves the step. */
  | { state: 'installing' }
  /** The step cannot be saved now, so its package may not be there. */
  | { state: 'unsaved' }
  | { state: 'missing'; lookAgain: () => void }
  | { state: 'failed'; error: unknown; lookAgain: () => void };

interface AskedStep {
  settings: Step['settings'];
  /** The step as the service has it; null before it has. */
  savedStep: Step | null;
  isSaving: boolean;
  pieces: readonly Piece[] | undefined;
}

/** Finds the piece of a step by its name, and a package also by its version, of which one flow may have several. */
export function useStepPiece({ settings, savedStep, isSaving, pieces }: AskedStep): StepPiece {
  const { name, version } = refOf(settings);
  const listed = pieces && listedPiece(pieces, { name, version });
  const isSaved = savedStep !== null && isSame(refOf(savedStep.settings), { name, version });
  const { data, error, refetch } = useQuery({
    ...pieceIfThereQuery(name, version),
    enabled: pieces !== undefined && !listed && isSaved && name !== '',
  });
  const lookAgain = () => void refetch();
  if (listed) return { state: 'known', piece: listed };
  if (!pieces) return { state: 'loading' };
  if (!isSaved) return { state: isSaving ? 'installing' : 'unsaved' };
  if (data) return { state: 'known', piece: data };
  if (data === null || name === '') return { state: 'missing', lookAgain };
  return error ? { state: 'failed', error, lookAgain } : { state: 'loading' };
}
