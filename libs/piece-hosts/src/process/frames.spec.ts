import { BrokenFrameError, frameOf, FrameReader, MOST_FRAME_BYTES } from './frames';

function readIn(bytes: Buffer, size: number): unknown[] {
  const messages: unknown[] = [];
  const reader = new FrameReader((message) => messages.push(message));
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return messages;
}

const MESSAGES = [{ one: 'ä' }, null, [1, 2], 'x'.repeat(1_000)];

describe('messages between a host and its worker', () => {
  it.each([1, 3, 7, 1_000_000])('arrive as they were sent in pieces of %d bytes', (size) => {
    expect(readIn(Buffer.concat(MESSAGES.map(frameOf)), size)).toEqual(MESSAGES);
  });

  it('keep none of the pieces in which they arrive', () => {
    const messages: unknown[] = [];
    const reader = new FrameReader((message) => messages.push(message));
    const piece = Buffer.alloc(1);
    for (const byte of Buffer.concat(MESSAGES.map(frameOf))) {
      piece[0] = byte;
      reader.push(piece);
    }
    expect(messages).toEqual(MESSAGES);
  });

  it('are refused by their length, before they arrive', () => {
    const announced = Buffer.alloc(4);
    announced.writeUInt32BE(MOST_FRAME_BYTES + 1);
    expect(() => readIn(announced, 4)).toThrow(BrokenFrameError);
  });

  it('are refused when they are not JSON', () => {
    const frame = frameOf('text');
    frame.write('{', 4);
    expect(() => readIn(frame, 100)).toThrow(BrokenFrameError);
  });

  it.each([
    ['many values', `[${'{},'.repeat(299_999)}1,1]`, 'more than 300,000 values'],
    ['many lists in each other', '['.repeat(400_000), 'deeper than 1000 levels'],
    ['many objects in each other', `${'{"a":'.repeat(1_001)}1${'}'.repeat(1_001)}`, 'deeper than 1000 levels'],
    ['many empty lists', `[${'[],'.repeat(150_001)}1]`, 'more than 300,000 values'],
  ])('are refused when reading them would block the worker for long: %s', (_what, json, problem) => {
    const frame = Buffer.concat([Buffer.alloc(4), Buffer.from(json)]);
    frame.writeUInt32BE(json.length);
    expect(() => readIn(frame, frame.length)).toThrow(problem);
  });

  it('are not sent when the other side would refuse them', () => {
    expect(() => frameOf(Array.from({ length: 400_000 }, () => ({})))).toThrow('more than 300,000 values');
  });

  it('have any text, whatever it holds', () => {
    const texts = ['[['.repeat(1_000), ','.repeat(400_000), 'a"b\\', '\\"[', '{"a":"'];
    expect(readIn(frameOf(texts), 1_000_000)).toEqual([texts]);
  });

  it('are not sent when they are too long', () => {
    expect(() => frameOf('x'.repeat(MOST_FRAME_BYTES))).toThrow(
      new BrokenFrameError('A message is longer than 16 MB.'),
    );
  });

  it('are not sent when they are too deep to be written', () => {
    const deep = Array.from({ length: 100_000 }).reduce((inner) => [inner], 1);

    expect(() => frameOf(deep)).toThrow(BrokenFrameError);
  });
});
