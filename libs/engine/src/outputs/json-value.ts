import type { JsonText } from '@millrace/domain';
import { readPath, type PathKeys } from '@millrace/domain';
import type { ScopeEntry } from '../expressions/scope';

/** A value that never changes. It is given as JSON text or parsed, and the other form is made when it is first read. */
export class JsonValue implements ScopeEntry {
  private constructor(
    private json: JsonText | undefined,
    private parsed: unknown,
  ) {}

  static ofText(text: JsonText): JsonValue {
    return new JsonValue(text, undefined);
  }

  static ofValue(value: unknown): JsonValue {
    return new JsonValue(undefined, value ?? null);
  }

  get text(): JsonText {
    return (this.json ??= JSON.stringify(this.parsed));
  }

  get value(): unknown {
    if (this.parsed === undefined) this.parsed = JSON.parse(this.text);
    return this.parsed;
  }

  valueAt(keys: PathKeys): unknown {
    return readPath(this.value, keys);
  }

  textAt(keys: PathKeys): JsonText | undefined {
    return keys.length === 0 ? this.text : JSON.stringify(this.valueAt(keys));
  }
}
