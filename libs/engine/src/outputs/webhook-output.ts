import {
  isWebhook,
  payloadText,
  shownRequest,
  textWithoutRawBody,
  webhookBody,
  webhookRawBody,
  type JsonText,
  type RunPayload,
  type WebhookPayload,
} from '@millrace/domain';
import type { PathKeys } from '@millrace/domain';
import type { ScopeEntry } from '../expressions/scope';
import { JsonValue } from './json-value';

/** The whole output leaves out a larger raw body, which is read by its own name only. So code does not get it twice. */
export const MOST_RAW_BYTES_IN_WHOLE = 1024 * 1024;

/** The output of a webhook trigger. Its parts are made when an expression reads them. */
export class WebhookOutput implements ScopeEntry {
  private whole: JsonValue | undefined;
  private body: JsonValue | undefined;
  private request: JsonValue | undefined;

  constructor(private readonly payload: WebhookPayload) {}

  valueAt(keys: PathKeys): unknown {
    const [entry, rest] = this.entryFor(keys);
    return entry.valueAt(rest);
  }

  textAt(keys: PathKeys): JsonText | undefined {
    const [entry, rest] = this.entryFor(keys);
    return entry.textAt(rest);
  }

  /** The whole output, with a raw body of any size. */
  get completeText(): JsonText {
    return payloadText(this.payload);
  }

  private entryFor(keys: PathKeys): [JsonValue, PathKeys] {
    const [key, ...rest] = keys;
    if (key === 'body') return [(this.body ??= JsonValue.ofText(webhookBody(this.payload))), rest];
    if (key === 'rawBody') return [JsonValue.ofText(webhookRawBody(this.payload)), rest];
    if (key !== undefined) return [(this.request ??= JsonValue.ofText(shownRequest(this.payload))), keys];
    return [(this.whole ??= JsonValue.ofText(this.wholeText())), keys];
  }

  private wholeText(): JsonText {
    const { rawBody } = this.payload;
    return rawBody.length > MOST_RAW_BYTES_IN_WHOLE ? textWithoutRawBody(this.payload) : payloadText(this.payload);
  }
}

/** The variable by which expressions read the output of the trigger. */
export const triggerEntry = (output: RunPayload): ScopeEntry =>
  isWebhook(output) ? new WebhookOutput(output) : JsonValue.ofText(payloadText(output));
