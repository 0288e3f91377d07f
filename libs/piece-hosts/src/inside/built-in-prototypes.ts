import net from 'node:net';
import tls from 'node:tls';

interface NotedPrototype {
  readonly prototype: object;
  readonly keys: readonly PropertyKey[];
  /** In the order of the keys. */
  readonly properties: readonly Property[];
}

/** What belongs to a key: a value, or what gets and sets it. */
type Property = Partial<Readonly<Record<'value' | 'get' | 'set', unknown>>>;

const { ownKeys, getOwnPropertyDescriptor } = Reflect;

/** Those that nearly every program uses, and those of connections. Looking at them takes 15 to 20 µs after each call. */
const BUILT_IN: readonly { readonly prototype: object }[] = [
  ...[Object, Function, Array, String, Promise, Error, Map, Set, RegExp, Date],
  ...[net.Socket, tls.TLSSocket],
];

/** Notes the prototypes of JavaScript and of sockets, and tells whether one was changed since. */
export class BuiltInPrototypes {
  private readonly noted = BUILT_IN.map(({ prototype }) => note(prototype));

  /** Uses nothing of the prototypes themselves, which may be missing now. */
  get haveChanged(): boolean {
    for (let n = 0; n < this.noted.length; n++) if (hasChanged(this.noted[n] as NotedPrototype)) return true;
    return false;
  }
}

function note(prototype: object): NotedPrototype {
  const keys = ownKeys(prototype);
  return { prototype, keys, properties: keys.map((key) => getOwnPropertyDescriptor(prototype, key) ?? {}) };
}

function hasChanged({ prototype, keys, properties }: NotedPrototype): boolean {
  if (ownKeys(prototype).length !== keys.length) return true;
  for (let n = 0; n < keys.length; n++) {
    const property: Property | undefined = getOwnPropertyDescriptor(prototype, keys[n] as PropertyKey);
    const noted = properties[n] as Property;
    if (!property || property.value !== noted.value) return true;
    if (property.get !== noted.get || property.set !== noted.set) return true;
  }
  return false;
}
