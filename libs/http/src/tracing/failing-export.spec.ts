import { startTracing } from './start-tracing';

class FailingExporter {
  export(_spans: unknown, done: (result: { code: number; error: Error }) => void): void {
    done({ code: 1, error: new Error('Bad Request') });
  }

  shutdown = () => Promise.resolve();
}

jest.mock('@opentelemetry/exporter-trace-otlp-http', () => ({ OTLPTraceExporter: FailingExporter }));

describe('tracing with a collector that refuses spans', () => {
  beforeAll(() => {
    process.env['OTEL_BSP_SCHEDULE_DELAY'] = '1';
  });
  afterAll(() => {
    delete process.env['OTEL_BSP_SCHEDULE_DELAY'];
  });

  it('says so in the log', async () => {
    let tell: (line: unknown) => void = () => undefined;
    const told = new Promise((resolve) => (tell = resolve));
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    const tracing = await startTracing('test', environment, { warn: (line) => tell(line) });

    tracing?.begin('run', { kind: 'consumer', attributes: {} }).end();

    expect(await told).toEqual({ msg: 'Spans may be lost.', reason: 'Bad Request', othersSinceLastLine: 0 });
    await tracing?.close();
  });
});
