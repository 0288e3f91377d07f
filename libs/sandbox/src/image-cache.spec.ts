import { ImageCache } from './image-cache';
import type { StepImage } from './isolate';

const ofBytes = (bytes: number) =>
  ({ memory: { data: new Uint8Array(0), heap: new Uint8Array(bytes), heapEnd: 0 } }) as StepImage;

describe('ImageCache', () => {
  it('gives an image only to the isolate that made it', () => {
    const shelf = new ImageCache();
    const image = ofBytes(10);
    shelf.keep(1, { key: 'a', tenant: 'a' }, image);

    expect([shelf.find(1, 'a'), shelf.find(2, 'a')]).toEqual([image, undefined]);
  });

  it('lets a tenant of many scripts push out its own images only', () => {
    const shelf = new ImageCache(1_000);
    shelf.keep(1, { key: 'quiet', tenant: 'quiet' }, ofBytes(100));
    for (let n = 0; n < 50; n++) shelf.keep(1, { key: `many ${n}`, tenant: 'many' }, ofBytes(100));

    expect(shelf.find(1, 'quiet')).toBeDefined();
    expect([shelf.find(1, 'many 40'), shelf.find(1, 'many 49')]).toEqual([undefined, expect.anything()]);
  });

  it('gives up what was used longest ago', () => {
    const shelf = new ImageCache(200);
    shelf.keep(1, { key: 'a', tenant: 'one' }, ofBytes(100));
    shelf.keep(1, { key: 'b', tenant: 'one' }, ofBytes(100));
    shelf.find(1, 'a');
    shelf.keep(1, { key: 'c', tenant: 'one' }, ofBytes(100));

    expect(['a', 'b', 'c'].map((key) => shelf.find(1, key) !== undefined)).toEqual([true, false, true]);
  });

  it('forgets the images of an isolate that was given up', () => {
    const shelf = new ImageCache();
    for (const isolate of [1, 11]) shelf.keep(isolate, { key: 'a', tenant: 'one' }, ofBytes(10));
    shelf.forget(1);

    expect([shelf.find(1, 'a'), shelf.find(11, 'a')]).toEqual([undefined, expect.anything()]);
  });
});
