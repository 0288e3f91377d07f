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

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'grpc'],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
      'http/protobuf',
    ],
  ])('warns of a protocol that is not built in: %j', async (more, protocol) => {
    const warn = jest.fn();

    const tracing = await startTracing('api', { OTEL_EXPORTER_OTLP_ENDPOINT: AT, ...more }, { warn });
    await tracing?.close();

    const msg = 'The protocol of traces is not built in; they are sent by http/json.';
    expect(warn).toHaveBeenCalledWith({ msg, protocol }, 'Tracing');
  });
});
