import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';
import { TraceCollector, type CollectedSpan } from './testing/trace-collector';

const SENDER = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENDERS_SPAN = '00f067aa0ba902b7';

describe('a trace', () => {
  let target: ServiceWithTargets;
  let collector: TraceCollector;
  let called: CalledServer;

  beforeAll(async () => {
    collector = await TraceCollector.start();
    called = await CalledServer.start();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
    target = await ServiceWithTargets.start(env);
  });
  afterAll(async () => {
    expect(await target.service.stop()).toBe(0);
    await called.stop();
    await collector.stop();
  });

  const spanOf = (spans: readonly CollectedSpan[], name: string, more: Record<string, unknown> = {}): CollectedSpan => {
    const found = spans.filter(
      (span) => span.name === name && Object.entries(more).every(([key, value]) => span.attributes[key] === value),
    );
    expect([name, found.length]).toEqual([name, 1]);
    return found[0] as CollectedSpan;
  };

  it('goes from the sender of a webhook over the gateway and the worker to what a step calls', async () => {
    const { service, project } = target;
    const call = { method: 'POST', url: `${called.baseUrl}/traced?key=s3cr3t-in-the-url`, body: { a: 'p4yl04d' } };
    const own = { ...call, headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } };
    const steps = [
      codeStep('work'),
      actionStep('call', 'http.send_request', call),
      actionStep('own', 'http.send_request', { ...own, url: `${called.baseUrl}/own` }),
    ];
    const { id: flowId } = await service.client.publishFlow(project, 'Traced', webhookTrigger(steps));

    const headers = { traceparent: `00-${SENDER}-${SENDERS_SPAN}-01` };
    const sent = await service.client.request<{ id: string }>('POST', `/webhooks/${flowId}`, { b: 's3nd3r' }, headers);
    await service.client.endedRun(sent.body.id);
    const spans = await collector.trace(SENDER, ['accept webhook', 'wait for a worker', 'run', 'step', 'POST']);

    const accept = spanOf(spans, 'accept webhook');
    const run = spanOf(spans, 'run');
    const step = spanOf(spans, 'step', { 'millrace.step.path': 'call' });
    const post = spans.find(({ name, parentSpanId }) => name === 'POST' && parentSpanId === step.spanId);
    expect(accept).toMatchObject({
      service: 'millrace-webhook-gateway',
      parentSpanId: SENDERS_SPAN,
      attributes: { 'http.route': '/api/v1/webhooks/:flowId', 'millrace.run.id': sent.body.id },
    });
    expect(spanOf(spans, 'wait for a worker')).toMatchObject({ parentSpanId: accept.spanId });
    expect(run).toMatchObject({
      service: 'millrace-worker',
      parentSpanId: accept.spanId,
      attributes: { 'millrace.run.id': sent.body.id, 'millrace.run.exit': 'succeeded' },
    });
    expect(step.parentSpanId).toBe(run.spanId);
    expect(post?.attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' });
    expect(called.callsTo('/traced')[0]?.headers['traceparent']).toBe(`00-${SENDER}-${post?.spanId}-01`);
    expect(called.callsTo('/own')[0]?.headers['traceparent']).toBe(own.headers.traceparent);
    for (const secret of ['s3cr3t-in-the-url', 'p4yl04d', 's3nd3r', '/traced'])
      expect(collector.received).not.toContain(secret);
  });

  it('has the id of its run when it begins in the worker', async () => {
    const { service, project } = target;
    const { id: flowId } = await service.client.publishFlow(project, 'Tested', webhookTrigger([codeStep('work')]));

    const { id } = await service.client.must<{ id: string }>('POST', `/flows/${flowId}/test-run`, { payload: {} });
    await service.client.endedRun(id);
    const spans = await collector.trace(id.replaceAll('-', ''), ['wait for a worker', 'run', 'step']);

    expect(spanOf(spans, 'wait for a worker').parentSpanId).toBeUndefined();
    expect(spanOf(spans, 'run').parentSpanId).toBe(spanOf(spans, 'wait for a worker').spanId);
  });
});
