import { parseControlSettings } from './control-settings';
import type { CodeAction, ErrorHandlingOptions, PieceAction, PieceTrigger } from './flow-version';
import type { JsonReader } from '../json/json-reader';

// Reads the settings of triggers, pieces and code steps. A missing setting reads as empty: the step is then not valid,
// but the flow can be stored and edited. Sample data is dropped, because an import clears it.

/** Known members of exports that this service does not need: notes of an editor, and the origin of a piece. */
export const DROPPED_SETTINGS = [
  'sampleData',
  'sampleDataSettings',
  'sampleDataFileId',
  'sampleDataInputFileId',
  'lastTestDate',
  'inputUiInfo',
  'schema',
  'pieceType',
  'packageType',
  'strategy',
  'customLogoUrl',
  'logoUrl',
];

/** The dropped settings of steps without a piece: older exports wrote `propertySettings` for every kind of step. */
export const DROPPED_WITHOUT_PIECE = [...DROPPED_SETTINGS, 'propertySettings'];
/**
 * The oldest exports name files of another product that contain the code. The imported step has no code, so it is
 * invalid.
 */
const DROPPED_OF_CODE = [...DROPPED_WITHOUT_PIECE, 'artifactSourceId', 'artifactPackagedId'];

export function parseTriggerSettings(settings: JsonReader): PieceTrigger['settings'] {
  const parsed = {
    pieceName: settings.text('pieceName', ''),
    pieceVersion: settings.text('pieceVersion', ''),
    triggerName: settings.text('triggerName', ''),
    input: settings.object('input', {}),
    propertySettings: settings.object('propertySettings', {}),
    ...parseControlSettings(settings),
  };
  settings.refuseOthers(DROPPED_SETTINGS);
  return parsed;
}

export function parsePieceSettings(settings: JsonReader): PieceAction['settings'] {
  const parsed = {
    pieceName: settings.text('pieceName', ''),
    pieceVersion: settings.text('pieceVersion', ''),
    actionName: settings.text('actionName', ''),
    input: settings.object('input', {}),
    propertySettings: settings.object('propertySettings', {}),
    ...errorHandling(settings),
  };
  settings.refuseOthers(DROPPED_SETTINGS);
  return parsed;
}

export function parseCodeSettings(settings: JsonReader): CodeAction['settings'] {
  const source = settings.inside('sourceCode');
  const parsed = {
    sourceCode: { code: source.text('code', ''), packageJson: source.text('packageJson', '{}') },
    input: settings.object('input', {}),
    ...errorHandling(settings),
  };
  source.refuseOthers();
  settings.refuseOthers(DROPPED_OF_CODE);
  return parsed;
}

function errorHandling(settings: JsonReader): { errorHandlingOptions?: ErrorHandlingOptions } {
  if (!settings.has('errorHandlingOptions')) return {};
  const options = settings.inside('errorHandlingOptions');
  const errorHandlingOptions = { ...option(options, 'continueOnFailure'), ...option(options, 'retryOnFailure') };
  options.refuseOthers();
  return { errorHandlingOptions };
}

function option(options: JsonReader, name: keyof ErrorHandlingOptions): ErrorHandlingOptions {
  if (!options.has(name)) return {};
  const reader = options.inside(name);
  const value = reader.flag('value', false);
  reader.refuseOthers();
  return { [name]: { value } };
}
