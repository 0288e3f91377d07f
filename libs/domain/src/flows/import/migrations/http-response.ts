import { isJsonObject, type JsonObject } from '../../../json/json-reader';
import type { Migration } from './migration';
import { withoutPrefix } from './public-inputs';

/** Moves the action that answers a webhook from the HTTP piece, which once had it, to the webhook piece. */
export const httpResponseToWebhook: Migration = {
  to: 6,
  anyVersion: false,
  migrate(step) {
    const settings = step['settings'];
    if (step['type'] !== 'PIECE' || !isJsonObject(settings) || !isHttpResponse(settings)) return step;
    const input = isJsonObject(settings['input']) ? responseInput(settings['input']) : settings['input'];
    return { ...step, settings: { ...settings, pieceName: '@activepieces/piece-webhook', input } };
  },
};

const isHttpResponse = ({ pieceName, actionName }: JsonObject): boolean =>
  withoutPrefix(pieceName) === 'http' && actionName === 'return_response';

const responseInput = ({ status, headers, body, body_type: bodyType }: JsonObject): JsonObject => ({
  responseType: bodyType ?? 'json',
  fields: {
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: bodyOf(body) }),
  },
  respond: 'stop',
});

/** The body itself: later versions of the action wrapped it in `data`. */
const bodyOf = (body: unknown): unknown =>
  isJsonObject(body) && Object.keys(body).join() === 'data' ? body['data'] : body;
