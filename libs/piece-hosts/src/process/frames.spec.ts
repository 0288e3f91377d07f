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

  it('are refused when reading their values would block the worker for long', () => {
    const frame = frameOf(Array.from({ length: 400_000 }, () => ({})));
    expect(() => readIn(frame, frame.length)).toThrow('more than 300000 values');
  });

  it('are not sent when they are too long', () => {
    expect(() => frameOf('x'.repeat(MOST_FRAME_BYTES))).toThrow(BrokenFrameError);
  });
});
