import { jsonDepth, type FoundItem, type OutboundAnswer } from '@millrace/domain';
import { holdsExpression } from '../framework/coerce-input';
import { ActionFailure, defineTrigger, type PollContext } from '../framework/piece';
import { choicesOf, type InputOf } from '../framework/props';
import { decodedText } from './decoded-text';
import { jsonPath, memberAt } from './json-path';
import { askForChange, MOST_ITEMS, rememberAnswer, REQUEST_CHECKS, REQUEST_PROPS, pollProblems } from './poll-request';
import { sampleItems } from './sample-items';

/** As deep as any body that this service reads. */
const MOST_DEPTH = 128;

const PROPS = {
  url: REQUEST_PROPS.url,
  itemsPath: {
    kind: 'text',
    displayName: 'Path of the list',
    description: 'Such as `data.items`. Empty when the whole answer is the list.',
    required: false,
    defaultValue: '',
  },
  idPath: {
    kind: 'text',
    displayName: 'Path of the id in an item',
    description: 'Such as `id` or `meta.key`. Without an id, items with the same content are the same one.',
    required: false,
    defaultValue: '',
  },
  order: {
    kind: 'dropdown',
    displayName: 'Order of the list',
    description: 'Runs start in the order of the items, the oldest first.',
    required: false,
    defaultValue: 'newest_first',
    options: choicesOf('newest_first', 'oldest_first'),
  },
  headers: REQUEST_PROPS.headers,
  authType: REQUEST_PROPS.authType,
  authFields: REQUEST_PROPS.authFields,
  everyMinutes: REQUEST_PROPS.everyMinutes,
} as const;

export const newItemInJson = defineTrigger({
  displayName: 'New Item in JSON',
  description: 'Starts a run for each new item of a list that a server gives as JSON.',
  resultType: 'POLLING',
  output: 'The item as the list has it.',
  props: PROPS,
  ...REQUEST_CHECKS,
  problems: (input) => [
    ...pollProblems(input),
    ...pathProblems('"Path of the list" (itemsPath)', input['itemsPath']),
    ...pathProblems('"Path of the id in an item" (idPath)', input['idPath']),
  ],
  polledInputs: ['url', 'itemsPath', 'idPath'],
  poll: pollList,
  test: sampleItems(pollList),
});

async function pollList({ input, http, store }: PollContext<InputOf<typeof PROPS>>): Promise<FoundItem[]> {
  const answer = await askForChange({ input, http, store });
  if (answer === null) return [];
  const list = listAt(jsonOf(answer), input.itemsPath);
  if (list.length > MOST_ITEMS) throw new ActionFailure(`The list has more than ${MOST_ITEMS} items.`);
  rememberAnswer(answer, store);
  const items = list.map((value) => itemOf(value, pathOf(input.idPath)));
  return input.order === 'oldest_first' ? items : items.reverse();
}

function pathProblems(what: string, written: unknown): string[] {
  if (typeof written !== 'string') return [];
  if (holdsExpression(written)) return [`The input ${what} cannot be an expression.`];
  return jsonPath(written) === null ? [`The input ${what} is no path such as data.items or rows[0].id.`] : [];
}

const pathOf = (path: string): string[] => jsonPath(path) ?? [];

function jsonOf({ body, headers }: OutboundAnswer): unknown {
  const text = decodedText(body, headers['content-type']);
  if (jsonDepth(text) > MOST_DEPTH) throw new ActionFailure(`The answer nests more than ${MOST_DEPTH} levels.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new ActionFailure('The answer is no JSON.');
  }
}

function listAt(value: unknown, path: string): unknown[] {
  const list = memberAt(value, pathOf(path));
  if (Array.isArray(list)) return list;
  throw new ActionFailure(path === '' ? 'The answer is no list.' : `The path ${path} leads to no list in the answer.`);
}

function itemOf(value: unknown, idPath: readonly string[]): FoundItem {
  const id = idPath.length === 0 ? undefined : memberAt(value, idPath);
  if (id === undefined || id === null || id === '') return { value };
  return { name: typeof id === 'string' ? id : JSON.stringify(id), value };
}
