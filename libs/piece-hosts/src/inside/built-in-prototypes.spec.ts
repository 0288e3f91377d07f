import { BuiltInPrototypes } from './built-in-prototypes';

describe('the prototypes of JavaScript', () => {
  const { map } = Array.prototype;
  const root = Object.prototype as { left?: unknown };
  afterEach(() => {
    delete root.left;
    Array.prototype.map = map;
  });

  it.each<[what: string, change: () => void]>([
    ['got something', () => (root.left = 'a value')],
    ['lost something', () => Reflect.deleteProperty(Array.prototype, 'map')],
    ['have another function', () => (Array.prototype.map = () => [])],
    ['have a getter', () => Object.defineProperty(Array.prototype, 'map', { configurable: true, get: () => map })],
  ])('have changed when they %s', (_what, change) => {
    const prototypes = new BuiltInPrototypes();
    expect(prototypes.haveChanged).toBe(false);

    change();

    const { haveChanged } = prototypes;
    Object.defineProperty(Array.prototype, 'map', { configurable: true, writable: true, value: map });
    expect(haveChanged).toBe(true);
  });

  it('may have been changed before they were noted', () => {
    root.left = 'a value';

    expect(new BuiltInPrototypes().haveChanged).toBe(false);
  });
});
