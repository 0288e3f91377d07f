import type { Piece } from '../api/pieces';
import type { StepResult } from '../flow-picture/run-marks';
import type { Step } from '../flow-picture/step';
import { CodeSettings } from './code-settings';
import { LoopSettings } from './loop-settings';
import type { Operation } from './operation';
import { PieceSettings } from './piece-settings';
import { RouterSettings } from './router-settings';

export interface StepSettingsProps {
  step: Step;
  flowId: string;
  projectId: string;
  pieces: readonly Piece[] | undefined;
  /** The step as the service has it; null before it has. */
  savedStep: Step | null;
  isSaving: boolean;
  isEditable: boolean;
  /** What the step did in the test. */
  results: readonly StepResult[];
  onChange: (settings: Step['settings']) => void;
  /** For what is an operation of its own, such as a new branch. */
  onEdit: (operation: Operation) => void;
}

/** The form of a step, as its type has it. */
export function StepSettings(props: StepSettingsProps) {
  switch (props.step.type) {
    case 'CODE':
      return <CodeSettings {...props} />;
    case 'LOOP_ON_ITEMS':
      return <LoopSettings {...props} />;
    case 'ROUTER':
      return <RouterSettings {...props} />;
    case 'PIECE':
    case 'PIECE_TRIGGER':
      return <PieceSettings {...props} />;
    case 'EMPTY':
      return null;
  }
}
