import net from 'node:net';
import tls from 'node:tls';
import { BuiltInPrototypes } from './built-in-prototypes';

/** Puts back what a test changes. */
function kept(prototype: object, key: PropertyKey): () => void {
  const property = Object.getOwnPropertyDescriptor(prototype, key) as PropertyDescriptor;
  return () => Object.defineProperty(prototype, key, property);
}

describe('the prototypes of JavaScript and of sockets', () => {
  const root = Object.prototype as { left?: unknown };
  const socket = net.Socket.prototype;
  const back = [
    kept(Array.prototype, 'map'),
    kept(Array.prototype, 'some'),
    kept(RegExp.prototype, 'flags'),
    kept(Map.prototype, 'get'),
    kept(socket, 'connect'),
    kept(tls.TLSSocket.prototype, 'getPeerCertificate'),
  ];
  const restore = (): void => {
    delete root.left;
    for (const one of back) one();
  };
  afterEach(restore);
  const { map } = Array.prototype;
  const get = (): string => '';

  it.each<[what: string, change: () => void]>([
    ['got something', () => (root.left = 'a value')],
    ['lost something', () => Reflect.deleteProperty(Array.prototype, 'map')],
    ['lost what lists need', () => Reflect.deleteProperty(Array.prototype, 'some')],
    ['have another function', () => (Array.prototype.map = () => [])],
    ['have another function of maps', () => (Map.prototype.get = () => undefined)],
    ['have a getter', () => Object.defineProperty(Array.prototype, 'map', { configurable: true, get: () => map })],
    ['have another getter', () => Object.defineProperty(RegExp.prototype, 'flags', { get })],
    ['lost the way to connect', () => Reflect.deleteProperty(socket, 'connect')],
    ['have another function of TLS', () => (tls.TLSSocket.prototype.getPeerCertificate = () => ({}) as never)],
  ])('have changed when they %s', (_what, change) => {
    const prototypes = new BuiltInPrototypes();
    expect(prototypes.haveChanged).toBe(false);

    change();

    const { haveChanged } = prototypes;
    restore();
    expect(haveChanged).toBe(true);
  });

  it('may have been changed before they were noted', () => {
    root.left = 'a value';

    expect(new BuiltInPrototypes().haveChanged).toBe(false);
  });
});
