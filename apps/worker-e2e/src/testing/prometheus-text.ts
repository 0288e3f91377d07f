import { spawnSync } from 'node:child_process';

export interface ScrapedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const TYPE = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf|nan)$/i;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

/** What a process has answered at `/metrics`. Throws for a line that is not of Prometheus's text format. */
export class PrometheusText {
  readonly types = new Map<string, string>();
  readonly samples: ScrapedSample[] = [];

  constructor(readonly text: string) {
    for (const line of text.split('\n')) this.read(line);
  }

  static async scrape(baseUrl: string, token: string): Promise<PrometheusText> {
    const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    if (answer.status !== 200) throw new Error(`${baseUrl}/metrics answered ${answer.status}.`);
    return new PrometheusText(await answer.text());
  }

  /** The names of the metrics of the service, without those of Node. */
  get ownNames(): string[] {
    return [...this.types.keys()].filter((name) => name.startsWith('millrace_')).sort();
  }

  /** The sum of the samples with these labels among theirs; NaN when there is none. */
  valueOf(name: string, labels: Record<string, string> = {}): number {
    const found = this.samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
    return found.length === 0 ? NaN : found.reduce((sum, { value }) => sum + value, 0);
  }

  private read(line: string): void {
    if (line === '' || line.startsWith('# HELP ')) return;
    const [, typed = '', type = ''] = TYPE.exec(line) ?? [];
    if (typed) return void this.types.set(typed, type);
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    if (!name || !NUMBER.test(value)) throw new Error(`Prometheus cannot read this line: ${line}`);
    this.samples.push({ name, labels: labelsIn(labels), value: numberIn(value) });
  }
}

const numberIn = (text: string): number => (text === '+Inf' ? Infinity : Number(text));

function labelsIn(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (!name) throw new Error(`Prometheus cannot read these labels: ${text}`);
    labels[name] = value;
  }
  return labels;
}

/** Whether there is a promtool (Debian: apt-get install prometheus). */
export const hasPromtool = (): boolean => spawnSync('promtool', ['--version']).error === undefined;

/** What Debian's promtool says of the text; empty when it has no complaint. */
export function promtoolSays(text: string): string {
  const options = { input: text, encoding: 'utf8' } as const;
  const { error, stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], options);
  if (error) throw error;
  return status === 0 ? '' : `${stdout}${stderr}`;
}
