import type { CodeAction, ErrorHandlingOptions, PieceAction, PieceTrigger } from './flow-version';
import type { JsonReader } from '../json/json-reader';

// The settings of each kind of step that holds some. A missing setting reads as empty: the step is then not valid, and
// the flow can still be stored and edited. Sample data is not taken over: an import clears it.

/** Known fields of exports that say nothing this service needs: what an editor remembered, and where a piece came from. */
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

/** Settings that only pieces have here, and that older exports wrote for every kind of step. */
export const DROPPED_WITHOUT_PIECE = [...DROPPED_SETTINGS, 'propertySettings'];
/** Ids of files that hold the code of the oldest exports, elsewhere: the step comes in without code, and is not valid. */
const DROPPED_OF_CODE = [...DROPPED_WITHOUT_PIECE, 'artifactSourceId', 'artifactPackagedId'];

export function parseTriggerSettings(settings: JsonReader): PieceTrigger['settings'] {
  const parsed = {
    pieceName: settings.text('pieceName', ''),
    pieceVersion: settings.text('pieceVersion', ''),
    triggerName: settings.text('triggerName', ''),
    input: settings.object('input', {}),
    propertySettings: settings.object('propertySettings', {}),
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
