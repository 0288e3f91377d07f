import { isJsonObject, type JsonObject } from '../../../json/json-reader';
import type { Migration } from './migration';

// Webhooks and schedules were types of trigger before they became pieces. The parser refuses settings of a wrong type.

export const webhookToPiece: Migration = {
  to: 1,
  anyVersion: true,
  migrate(trigger) {
    const settings = trigger['settings'] ?? {};
    if (trigger['type'] !== 'WEBHOOK') return trigger;
    if (!isJsonObject(settings)) return { ...trigger, type: 'PIECE_TRIGGER' };
    return pieceTrigger(trigger, settings, 'webhook', 'catch_webhook', { authType: 'none' });
  },
};

export const scheduleToPiece: Migration = {
  to: 1,
  anyVersion: true,
  migrate(trigger) {
    const settings = trigger['settings'] ?? {};
    if (trigger['type'] !== 'SCHEDULE') return trigger;
    if (!isJsonObject(settings)) return { ...trigger, type: 'PIECE_TRIGGER' };
    // A schedule trigger without a time zone used UTC.
    const { cronExpression = '', timezone = 'UTC', ...others } = settings;
    return pieceTrigger(trigger, others, 'schedule', 'cron_expression', { cronExpression, timezone });
  },
};

/** The trigger of the piece. Further settings stay for the parser. */
const pieceTrigger = (
  trigger: JsonObject,
  settings: JsonObject,
  pieceName: string,
  triggerName: string,
  input: JsonObject,
): JsonObject => ({
  ...trigger,
  type: 'PIECE_TRIGGER',
  settings: { ...settings, pieceName, pieceVersion: '0.1.0', triggerName, input, propertySettings: {} },
});
