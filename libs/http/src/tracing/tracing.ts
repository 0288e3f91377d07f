/** Values that describe a span. They name things of the service, and never hold what users have sent or stored. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The headers in which a trace travels: `traceparent` and `tracestate` of the W3C. */
export type TraceHeaders = Readonly<Record<string, unknown>>;

export interface NewSpan {
  kind: 'server' | 'client' | 'consumer' | 'internal';
  attributes: SpanAttributes;
  /** The span above, or the headers that came from it; without one the span begins a trace. */
  parent?: Span | TraceHeaders | null;
  /** The id of the trace that begins here: 32 hexadecimal digits. By default it is random. */
  traceId?: string;
  startTime?: Date;
}

/** A span that is under way. */
export abstract class Span {
  abstract readonly traceId: string;
  abstract set(attributes: SpanAttributes): void;
  /** The work of the span has failed, because of this code. */
  abstract fail(code: string): void;
  abstract end(): void;
  /** The headers that make the receiver's spans children of this one. */
  abstract headers(): Record<string, string>;
}

// Follows the way of a webhook over processes, for OpenTelemetry.
//
// T1. An app has no Tracing unless the operator names a collector. Without it nothing is loaded and nothing costs.
// T2. Nothing waits for the collector. Spans that it does not take are dropped once a bounded queue is full.
export abstract class Tracing {
  abstract begin(name: string, span: NewSpan): Span;
  /** Runs the work. Until its promise settles the span is the active one, for everything that the work calls. */
  abstract within<Result>(span: Span, work: () => Result): Result;
  /** The span within which this is called; null when there is none. */
  abstract active(): Span | null;
  /** Sends what is left, for a bounded time. */
  abstract close(): Promise<void>;
}
