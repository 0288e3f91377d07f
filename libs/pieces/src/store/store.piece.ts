import { differingPaths } from '@millrace/domain';
import { ActionFailure, defineAction, definePiece, type StepStore } from '../framework/piece';
import { choicesOf, type Props } from '../framework/props';

const MAX_KEY_CHARS = 128;
const MAX_VALUE_BYTES = 512 * 1_024;

const PLACE = {
  key: { kind: 'text', displayName: 'Key', required: true },
  scope: {
    kind: 'dropdown',
    displayName: 'Scope',
    description:
      'The value is shared by all flows of the project, by all runs of the flow, or by the steps of this run.',
    required: false,
    defaultValue: 'PROJECT',
    options: choicesOf('PROJECT', 'FLOW', 'RUN'),
  },
} as const satisfies Props;

const VALUE = { ...PLACE, value: { kind: 'any', displayName: 'Value', required: false } } as const satisfies Props;
const TEXT = { ...PLACE, value: { kind: 'text', displayName: 'Text', required: true } } as const satisfies Props;

interface Place {
  key: string;
  scope: 'PROJECT' | 'FLOW' | 'RUN';
}

const get = defineAction({
  displayName: 'Get',
  description: 'Outputs the value of a key. A key without a value gives the default value, or null.',
  output: 'The value, the default value, or null.',
  props: { ...PLACE, defaultValue: { kind: 'any', displayName: 'Default value', required: false } },
  run: async ({ input: { scope, key, defaultValue }, store }) =>
    (await store.get(scope, checkedKey(key))) ?? defaultValue ?? null,
});

const put = defineAction({
  displayName: 'Put',
  description: 'Sets the value of a key. Null removes it.',
  output: 'The new value.',
  props: VALUE,
  run: async ({ input, store }) => change(store, input, () => input.value ?? null),
});

const append = defineAction({
  displayName: 'Append',
  description: 'Adds text to the end of the text of a key.',
  output: 'The new text.',
  props: TEXT,
  run: async ({ input, store }) => change(store, input, (value) => textIn(value, input.key) + input.value),
});

const addToList = defineAction({
  displayName: 'Add To List',
  description: 'Adds an item to the end of the list of a key.',
  output: 'The new list.',
  props: VALUE,
  run: async ({ input, store }) => change(store, input, (value) => [...listIn(value, input.key), input.value ?? null]),
});

const removeFromList = defineAction({
  displayName: 'Remove From List',
  description: 'Removes every item that equals the value from the list of a key.',
  output: 'The new list, or null when the key had no list.',
  props: VALUE,
  run: async ({ input, store }) =>
    change(store, input, (value) =>
      value === null
        ? null
        : listIn(value, input.key).filter((item) => differingPaths(item, input.value ?? null).length > 0),
    ),
});

const removeValue = defineAction({
  displayName: 'Remove Value',
  description: 'Removes a key with its value.',
  output: 'Null.',
  props: PLACE,
  run: async ({ input, store }) => change(store, input, () => null),
});

export const store = definePiece({
  name: 'store',
  displayName: 'Store',
  description: 'Keeps values from one run to another.',
  category: 'DATA',
  keywords: ['key', 'value', 'memory', 'variable', 'counter', 'list', 'save'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: {},
  actions: {
    get,
    put,
    append,
    add_to_list: addToList,
    remove_from_list: removeFromList,
    remove_value: removeValue,
  },
});

/**
 * Changes the value of a key and resolves with the new value. Rejects, without a change, when it would be too large.
 */
const change = (store: StepStore, { scope, key }: Place, make: (value: unknown) => unknown): Promise<unknown> =>
  store.change(scope, checkedKey(key), (value) => bounded(make(value), key));

function checkedKey(key: string): string {
  if (key.length <= MAX_KEY_CHARS) return key;
  throw new ActionFailure(`A key has at most ${MAX_KEY_CHARS} characters, and this one has ${key.length}.`);
}

function bounded(value: unknown, key: string): unknown {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_VALUE_BYTES) return value;
  const size = `${Math.ceil(bytes / 1_024)} KB`;
  throw new ActionFailure(
    `The value of "${key}" would have ${size}, which is more than the limit of ${MAX_VALUE_BYTES / 1_024} KB.`,
  );
}

function textIn(value: unknown, key: string): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  throw new ActionFailure(`The value of "${key}" is not text, so nothing can be appended to it.`);
}

function listIn(value: unknown, key: string): readonly unknown[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  throw new ActionFailure(`The value of "${key}" is not a list.`);
}
