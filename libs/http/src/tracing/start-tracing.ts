import { Logger, type LoggerService } from '@nestjs/common';
import type { Tracing } from './tracing';

type Environment = Readonly<Record<string, string | undefined>>;

/** The only protocol that is built in. A collector takes it at the address of `http/protobuf`, but not at that of `grpc`. */
const PROTOCOL = 'http/json';

/**
 * Starts tracing when the environment names a collector; otherwise nothing is loaded, and the result is null. The
 * variables are those that OpenTelemetry defines. The logger is told of another protocol, and of spans that may be lost.
 */
export async function startTracing(
  app: string,
  environment: Environment,
  logger: Pick<LoggerService, 'warn'> = new Logger(),
): Promise<Tracing | null> {
  if (!isWanted(environment)) return null;
  const protocol = environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || environment['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol && protocol !== PROTOCOL)
    logger.warn({ msg: `The protocol of traces is not built in; they are sent by ${PROTOCOL}.`, protocol }, 'Tracing');
  const { OpenTelemetry } = await import('./open-telemetry');
  return new OpenTelemetry(app, logger);
}

/** `none` as the exporter, and OTEL_SDK_DISABLED, turn tracing off whatever else is set. */
export function isWanted(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  if (environment['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return Boolean(environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
