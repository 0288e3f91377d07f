import type { Tracing } from './tracing';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts tracing when the environment names a collector; otherwise nothing is loaded, and the result is null. The
 * variables are those that OpenTelemetry defines.
 */
export async function startTracing(app: string, environment: Environment): Promise<Tracing | null> {
  if (!isWanted(environment)) return null;
  const { OpenTelemetry } = await import('./open-telemetry');
  return new OpenTelemetry(app);
}

/** `none` as the exporter, and OTEL_SDK_DISABLED, turn tracing off whatever else is set. */
export function isWanted(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  if (environment['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return Boolean(environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
