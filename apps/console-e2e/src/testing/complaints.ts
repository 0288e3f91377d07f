import { EventEmitter, once } from 'node:events';
import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';

/** The page reports what its content security policy refuses as an error of the console. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('content security policy: ' + event.violatedDirective + ' refuses ' + event.blockedURI))`;

/** What the browser itself writes about a request that failed. The page has no part in it. */
const REQUEST_FAILED = /^Failed to load resource/;
const WORRYING = ['error', 'warning', 'assert'];

/**
 * What went wrong in the pages of a browser context, although the person may not have seen it: errors and warnings of the
 * console, exceptions, refusals of the content security policy, failed requests, and requests to elsewhere.
 */
export class Complaints {
  private readonly found: string[] = [];
  private readonly expected: { readonly address: RegExp; readonly failure: RegExp }[] = [];
  private readonly others: string[] = [];
  private readonly ear = new EventEmitter();

  constructor(private readonly origin: string) {}

  /** Requests to addresses that match may fail in this test, in any way, or by answers of this status alone. */
  expectFailuresOf(address: RegExp, status?: number): void {
    const failure =
      status === undefined ? REQUEST_FAILED : new RegExp(`${REQUEST_FAILED.source}: .* status of ${status} `);
    this.expected.push({ address, failure });
  }

  /** Pages may ask this other origin in this test. */
  expectRequestsTo(origin: string): void {
    this.others.push(origin);
  }

  async listenTo(context: BrowserContext): Promise<void> {
    await context.addInitScript(REPORT_VIOLATIONS);
    context.on('console', (message) => this.hear(message));
    context.on('weberror', (error) => this.add(`exception: ${error.error().stack ?? error.error().message}`));
    context.on('request', (request) => this.see(request));
    context.on('page', (page: Page) => page.on('crash', () => this.add(`${page.url()} crashed`)));
  }

  /** Resolves with the first complaint that contains the text. */
  async heard(text: string): Promise<string> {
    for (;;) {
      const complaint = this.found.find((each) => each.includes(text));
      if (complaint) return complaint;
      await once(this.ear, 'complaint');
    }
  }

  /** Returns what was found since the last call. */
  take(): string[] {
    return this.found.splice(0);
  }

  private add(complaint: string): void {
    this.found.push(complaint);
    this.ear.emit('complaint');
  }

  private hear(message: ConsoleMessage): void {
    const { url } = message.location();
    if (!WORRYING.includes(message.type())) return;
    if (this.expected.some(({ address, failure }) => address.test(url) && failure.test(message.text()))) return;
    this.add(`console ${message.type()}: ${message.text()} (${url})`);
  }

  private see(request: Request): void {
    const { protocol, origin } = new URL(request.url());
    if (protocol === 'data:' || protocol === 'blob:' || origin === this.origin || this.others.includes(origin)) return;
    this.add(`request to another origin: ${request.url()}`);
  }
}
