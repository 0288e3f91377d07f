import { METRICS } from '@millrace/domain';
import { AppMetrics } from '../metrics/app-metrics';
import { RefusedAnswers } from './refused-answers';

describe('RefusedAnswers', () => {
  it('counts those of some routes apart, beside counting them with all', async () => {
    const refused = new RefusedAnswers({ metric: METRICS.webhooksRefused, routes: new Set(['/webhooks/:id']) });
    const metrics = new AppMetrics();
    refused.reportTo(metrics);

    refused.add('RATE_LIMITED', '/webhooks/:id');
    refused.add('RATE_LIMITED', '/webhooks/:id/draft');
    refused.add('RATE_LIMITED');

    const { text } = await metrics.write();
    expect(text).toContain('millrace_answers_refused_total{code="RATE_LIMITED"} 3\n');
    expect(text).toContain('millrace_webhooks_refused_total{code="RATE_LIMITED"} 1\n');
    expect(text).toContain('millrace_webhooks_refused_total{code="SERVICE_UNAVAILABLE"} 0\n');
  });
});
