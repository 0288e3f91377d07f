import { LRUCache } from 'lru-cache';
import type { StepImage } from './isolate';

const MOST_IMAGES = 256;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_BYTES_EACH = 16 * 1024 * 1024;

/** The prepared images of one thread's isolates; the ones used longest ago go first. An image fits only the isolate that made it. */
export class ImageShelf {
  private readonly images = new LRUCache<string, StepImage>({
    max: MOST_IMAGES,
    maxSize: MOST_BYTES,
    maxEntrySize: MOST_BYTES_EACH,
    sizeCalculation: ({ memory }) => memory.data.length + memory.heap.length,
  });

  find(isolateId: number, key: string): StepImage | undefined {
    return this.images.get(`${isolateId} ${key}`);
  }

  keep(isolateId: number, key: string, image: StepImage): void {
    this.images.set(`${isolateId} ${key}`, image);
  }

  forget(isolateId: number): void {
    for (const key of this.images.keys()) if (key.startsWith(`${isolateId} `)) this.images.delete(key);
  }
}
