import { isWanted, startTracing } from './start-tracing';

const AT = 'http://127.0.0.1:4318';

describe('startTracing', () => {
  it.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'mine' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: AT }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: AT }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: AT, OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: AT, OTEL_TRACES_EXPORTER: 'none' }, false],
  ])('follows %j: %p', (environment, wanted) => {
    expect(isWanted(environment)).toBe(wanted);
  });

  it('gives nothing when no collector is named', async () => {
    expect(await startTracing('api', {})).toBeNull();
  });
});
