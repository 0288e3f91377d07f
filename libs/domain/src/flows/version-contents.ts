import { stepsOf, type FlowTrigger, type VersionContents } from './flow-version';

/** What a list says about the steps of a version. */
export function contentsOf(trigger: FlowTrigger): VersionContents {
  const pieceNames = new Set<string>();
  let stepsCount = -1;
  for (const step of stepsOf(trigger)) {
    stepsCount++;
    if (step.type === 'PIECE_TRIGGER' || step.type === 'PIECE') pieceNames.add(step.settings.pieceName);
  }
  return { trigger: chosenTrigger(trigger), pieceNames: [...pieceNames], stepsCount };
}

function chosenTrigger({ type, settings }: FlowTrigger): VersionContents['trigger'] {
  if (type === 'EMPTY') return null;
  const { pieceName, pieceVersion, triggerName } = settings;
  return { pieceName, pieceVersion, triggerName };
}
