// Which key does what in the editor. The words for it are in words.ts.

export type Command =
  | 'add'
  | 'undo'
  | 'redo'
  | 'duplicate'
  | 'delete'
  | 'skip'
  | 'rename'
  | 'moveUp'
  | 'moveDown'
  | 'fold'
  | 'note'
  | 'menu'
  | 'zoomIn'
  | 'zoomOut'
  | 'actualSize'
  | 'fit'
  | 'back'
  | 'help';

/** What of a keyboard event says which key was pressed. */
export type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

interface EditorKey {
  command: Command;
  /** As `KeyboardEvent.key` has them, in small letters. */
  keys: readonly string[];
  isCtrl?: boolean;
  /** Undefined where it makes no difference, as for a sign that some keyboards have above another. */
  isShift?: boolean;
  isAlt?: boolean;
  /** Whether the key counts everywhere on the page, and not only in the canvas and the outline. */
  isGlobal?: boolean;
  /** Whether it counts in fields too, which use the others themselves. */
  isInFields?: boolean;
}

const KEYS: readonly EditorKey[] = [
  { command: 'add', keys: ['a', '/'] },
  { command: 'undo', keys: ['z'], isCtrl: true, isShift: false, isGlobal: true },
  { command: 'redo', keys: ['z'], isCtrl: true, isShift: true, isGlobal: true },
  { command: 'redo', keys: ['y'], isCtrl: true, isGlobal: true },
  { command: 'duplicate', keys: ['d'], isCtrl: true },
  { command: 'delete', keys: ['delete', 'backspace'] },
  { command: 'skip', keys: ['s'] },
  { command: 'rename', keys: ['f2'] },
  { command: 'moveUp', keys: ['arrowup'], isAlt: true },
  { command: 'moveDown', keys: ['arrowdown'], isAlt: true },
  { command: 'fold', keys: ['c'] },
  { command: 'note', keys: ['n'] },
  { command: 'menu', keys: ['f10'], isShift: true },
  { command: 'menu', keys: ['contextmenu'] },
  { command: 'zoomIn', keys: ['+', '='], isGlobal: true },
  { command: 'zoomOut', keys: ['-'], isGlobal: true },
  { command: 'actualSize', keys: ['0'], isGlobal: true },
  { command: 'fit', keys: ['1'], isGlobal: true },
  { command: 'back', keys: ['escape'], isGlobal: true, isInFields: true },
  { command: 'help', keys: ['?'], isGlobal: true },
];

/** Where a key was pressed. */
export interface Where {
  isInField: boolean;
  isInPicture: boolean;
}

export function commandOf(pressed: Pressed, { isInField, isInPicture }: Where): Command | null {
  const found = KEYS.find(
    ({ keys, isCtrl = false, isShift, isAlt = false, isGlobal = false, isInFields = false }) =>
      keys.includes(pressed.key.toLowerCase()) &&
      isCtrl === (pressed.ctrlKey || pressed.metaKey) &&
      isAlt === pressed.altKey &&
      (isShift === undefined || isShift === pressed.shiftKey) &&
      (isInField ? isInFields : isGlobal || isInPicture),
  );
  return found?.command ?? null;
}
