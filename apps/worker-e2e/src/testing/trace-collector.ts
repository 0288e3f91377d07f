import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean };
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: OtlpAttribute[];
}

interface OtlpTraces {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

export interface CollectedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  attributes: Record<string, unknown>;
}

/** A collector of OpenTelemetry on this machine. It takes traces as JSON by HTTP, and keeps them. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Everything that was received, as text. */
  received = '';
  private readonly listeners = new Set<() => void>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    const collector = new TraceCollector(server);
    server.on('request', (request, answer) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        collector.take(Buffer.concat(chunks).toString());
        answer.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves with the spans of the trace once these names are among them. */
  async trace(traceId: string, names: readonly string[]): Promise<CollectedSpan[]> {
    for (;;) {
      const spans = this.spans.filter((span) => span.traceId === traceId);
      if (names.every((name) => spans.some((span) => span.name === name))) return spans;
      await new Promise<void>((resolve) => this.listeners.add(resolve));
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(body: string): void {
    this.received += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpTraces).resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const { traceId, spanId, parentSpanId, name, attributes } of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ service, traceId, spanId, parentSpanId, name, attributes: valuesOf(attributes) });
    }
    for (const told of this.listeners) told();
    this.listeners.clear();
  }
}

const valuesOf = (attributes: readonly OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
