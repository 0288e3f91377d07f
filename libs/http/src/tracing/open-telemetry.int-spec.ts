import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { startTracing } from './start-tracing';
import type { Tracing } from './tracing';

describe('tracing with a collector that accepts connections and never answers', () => {
  const silent = createServer((socket) => socket.resume());
  let tracing: Tracing;

  beforeAll(async () => {
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
    tracing = (await startTracing('test', process.env)) as Tracing;
  });
  afterAll(() => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    silent.close();
  });

  const begin = (parent: object | null = null, traceId?: string) =>
    tracing.begin('run', { kind: 'consumer', attributes: {}, parent: parent as null, ...(traceId && { traceId }) });

  it('continues a trace of headers, begins one with a given id, and another with its own', () => {
    const sent = begin({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
    const given = begin(null, 'c'.repeat(32));

    expect(sent.headers()['traceparent']).toMatch(/^00-a{32}-[0-9a-f]{16}-01$/);
    expect(given.traceId).toBe('c'.repeat(32));
    expect(begin(given).traceId).toBe('c'.repeat(32));
    expect(begin().traceId).not.toBe('c'.repeat(32));
    expect(begin({ traceparent: 'nonsense' }).traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('has an active span for everything that the work awaits, and for nothing else', async () => {
    const span = begin();

    const found = await tracing.within(span, async () => {
      await new Promise(setImmediate);
      return tracing.active();
    });

    expect(found?.headers()).toEqual(span.headers());
    expect(tracing.active()).toBeNull();
  });

  it('takes any number of spans, and stops all the same', async () => {
    for (let n = 0; n < 20_000; n++) begin().end();

    await expect(tracing.close()).resolves.toBeUndefined();
  });
});
