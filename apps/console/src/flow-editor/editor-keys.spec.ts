import { commandOf, type Pressed } from './editor-keys';

const press = (key: string, more: Partial<Pressed> = {}): Pressed => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
});
const picture = { isInField: false, isInPicture: true };
const page = { isInField: false, isInPicture: false };
const field = { isInField: true, isInPicture: false };

describe('the keys of the editor', () => {
  it.each([
    [press('a'), 'add'],
    [press('/'), 'add'],
    [press('z', { ctrlKey: true }), 'undo'],
    [press('Z', { ctrlKey: true, shiftKey: true }), 'redo'],
    [press('z', { metaKey: true }), 'undo'],
    [press('d', { ctrlKey: true }), 'duplicate'],
    [press('Delete'), 'delete'],
    [press('s'), 'skip'],
    [press('ArrowUp', { altKey: true }), 'moveUp'],
    [press('F10', { shiftKey: true }), 'menu'],
    [press('+', { shiftKey: true }), 'zoomIn'],
    [press('+'), 'zoomIn'],
    [press('0'), 'actualSize'],
    [press('?', { shiftKey: true }), 'help'],
    [press('a', { ctrlKey: true }), null],
    [press('s', { ctrlKey: true }), null],
    [press('F10'), null],
  ])('in the picture: %j does %s', (pressed, command) => expect(commandOf(pressed, picture)).toBe(command));

  it('change no step while the focus is elsewhere', () => {
    expect([press('s'), press('Delete'), press('a')].map((key) => commandOf(key, page))).toEqual([null, null, null]);
    expect(commandOf(press('z', { ctrlKey: true }), page)).toBe('undo');
  });

  it('leave to fields what is theirs', () => {
    expect([press('z', { ctrlKey: true }), press('1'), press('?')].map((key) => commandOf(key, field))).toEqual([
      null,
      null,
      null,
    ]);
    expect(commandOf(press('Escape'), field)).toBe('back');
  });
});
