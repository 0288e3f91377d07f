import {
  context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as ApiSpan,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  RandomIdGenerator,
  type IdGenerator,
} from '@opentelemetry/sdk-trace-node';
import type { LoggerService } from '@nestjs/common';
import { hostname } from 'node:os';
import { VERSION } from '../version/version';
import { Span, Tracing, type NewSpan, type SpanAttributes, type TraceHeaders } from './tracing';
import { TracingProblems } from './tracing-problems';

/** How long a process that stops waits for the collector. */
const GOODBYE_MS = 2_000;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Random ids, except for a trace that begins with an id of its own. */
class TraceIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private next: string | undefined;

  generateTraceId = (): string => this.next ?? this.random.generateTraceId();
  generateSpanId = (): string => this.random.generateSpanId();

  /** The SDK asks for ids while it begins a span, and at no other time. */
  with<Result>(traceId: string | undefined, begin: () => Result): Result {
    this.next = traceId;
    try {
      return begin();
    } finally {
      this.next = undefined;
    }
  }
}

class OpenTelemetrySpan extends Span {
  constructor(
    readonly own: ApiSpan,
    readonly context: Context,
  ) {
    super();
  }

  get traceId(): string {
    return this.own.spanContext().traceId;
  }

  override set(attributes: SpanAttributes): void {
    this.own.setAttributes(attributes);
  }

  override fail(code: string): void {
    this.own.setAttribute('error.type', code);
    this.own.setStatus({ code: SpanStatusCode.ERROR });
  }

  override end(): void {
    this.own.end();
  }

  override headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagation.inject(this.context, headers);
    return headers;
  }
}

/**
 * Tracing by the SDK of OpenTelemetry, which reads the standard variables: where the collector is (OTEL_EXPORTER_OTLP_*),
 * what is sampled (OTEL_TRACES_SAMPLER), how much waits to be sent (OTEL_BSP_*), and what the service is called.
 */
export class OpenTelemetry extends Tracing {
  private readonly ids = new TraceIds();
  private readonly provider: NodeTracerProvider;
  private readonly tracer: Tracer;

  constructor(app: string, logger: Pick<LoggerService, 'warn'>) {
    super();
    diag.setLogger(new TracingProblems(logger), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    const own = {
      'service.name': `millrace-${app}`,
      'service.version': VERSION,
      'service.instance.id': `${hostname()}-${process.pid}`,
    };
    this.provider = new NodeTracerProvider({
      idGenerator: this.ids,
      resource: resourceFromAttributes(own).merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    this.provider.register();
    this.tracer = this.provider.getTracer('millrace', VERSION);
  }

  override begin(name: string, { kind, attributes, parent, traceId, startTime }: NewSpan): Span {
    const above = contextOf(parent);
    const isRoot = trace.getSpanContext(above) === undefined;
    const options = { kind: KINDS[kind], attributes, ...(startTime && { startTime }) };
    const span = this.ids.with(isRoot ? traceId : undefined, () => this.tracer.startSpan(name, options, above));
    return new OpenTelemetrySpan(span, trace.setSpan(above, span));
  }

  override within<Result>(span: Span, work: () => Result): Result {
    return context.with(contextOf(span), work);
  }

  override active(): Span | null {
    const active = context.active();
    const span = trace.getSpan(active);
    return span ? new OpenTelemetrySpan(span, active) : null;
  }

  override async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)));
    await Promise.race([this.provider.shutdown().catch((error) => diag.error(String(error))), patience]);
    clearTimeout(timer);
  }
}

function contextOf(parent: Span | TraceHeaders | null | undefined): Context {
  if (!parent) return ROOT_CONTEXT;
  if (parent instanceof OpenTelemetrySpan) return parent.context;
  return propagation.extract(ROOT_CONTEXT, parent);
}
