import type { StepImage } from './isolate';

const MOST_IMAGES = 256;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_BYTES_EACH = 16 * 1024 * 1024;

interface Place {
  isolateId: number;
  tenant: string;
  bytes: number;
  image: StepImage;
}

/**
 * The prepared images of one thread's isolates. An image fits only the isolate that made it. When they take too much
 * memory, the tenant whose images take most loses the one that it used longest ago, so a tenant with many scripts
 * cannot slow down the others.
 */
export class ImageCache {
  /** The images in the order of their last use. */
  private readonly places = new Map<string, Place>();
  private readonly bytesOf = new Map<string, number>();
  private bytes = 0;

  constructor(private readonly mostBytes = MOST_BYTES) {}

  find(isolateId: number, key: string): StepImage | undefined {
    const id = `${isolateId} ${key}`;
    const place = this.places.get(id);
    if (!place) return undefined;
    this.places.delete(id);
    this.places.set(id, place);
    return place.image;
  }

  keep(isolateId: number, { key, tenant }: { key: string; tenant: string }, image: StepImage): void {
    const id = `${isolateId} ${key}`;
    const bytes = image.memory.data.length + image.memory.heap.length;
    this.remove(id);
    if (bytes > MOST_BYTES_EACH) return;
    this.places.set(id, { isolateId, tenant, bytes, image });
    this.count(tenant, bytes);
    while (this.places.size > MOST_IMAGES || this.bytes > this.mostBytes) this.remove(this.oldestOfLargestTenant());
  }

  forget(isolateId: number): void {
    for (const [id, place] of this.places) if (place.isolateId === isolateId) this.remove(id);
  }

  private oldestOfLargestTenant(): string {
    const [largest] = [...this.bytesOf].reduce((most, one) => (one[1] > most[1] ? one : most));
    for (const [id, { tenant }] of this.places) if (tenant === largest) return id;
    throw new Error(`Tenant ${largest} has no image.`);
  }

  private remove(id: string): void {
    const place = this.places.get(id);
    if (!place) return;
    this.places.delete(id);
    this.count(place.tenant, -place.bytes);
  }

  private count(tenant: string, bytes: number): void {
    this.bytes += bytes;
    const left = (this.bytesOf.get(tenant) ?? 0) + bytes;
    if (left > 0) this.bytesOf.set(tenant, left);
    else this.bytesOf.delete(tenant);
  }
}
