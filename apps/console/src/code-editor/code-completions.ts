import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { codeInputs, type CodeInputs } from './code-inputs';
import { completionsOf, type Variables } from './value-completions';

/** What the sandbox gives to code, besides the language itself (docs/flow-json.md, "Code"). */
const OURS = ['console', 'sleep', 'run'].map((label) => ({ label, type: 'variable' }));
/** Objects of the language whose members are the same in this browser. Only their names are read. */
const OF_THE_LANGUAGE = { Math, JSON, Object, Array, Number, String, Date, Promise };
const RUN = { id: '', flowId: '', projectId: '', stepKey: '' };
/** How long a suggestion waits for the code to be parsed. */
const MOST_PARSING_MS = 100;
const NO_COMPLETION = /Comment|String|TemplateString|RegExp/;

/** Completes the members of the input of a step, as they are known from its settings and its last test. */
export const inputCompletions =
  (inputsNow: () => Variables): CompletionSource =>
  (context) => {
    const { state, pos } = context;
    const tree = ensureSyntaxTree(state, pos, MOST_PARSING_MS) ?? syntaxTree(state);
    if (NO_COMPLETION.test(tree.resolveInner(pos, -1).name)) return null;
    const parameter = codeInputs(state, tree);
    if (parameter?.kind === 'members' && parameter.from < pos && pos < parameter.to)
      return freeMembers(context, inputsNow(), parameter);
    const line = state.doc.lineAt(pos);
    const before = linesBefore(state, line.number) + line.text.slice(0, pos - line.from);
    const found = completionsOf({ ...variablesOf(parameter, inputsNow()), run: RUN }, before, pos);
    return found ?? languageMembers(before, pos);
  };

/** A path may begin on the line before. */
const linesBefore = (state: EditorState, number: number): string =>
  number > 1 && /^\s*\??\./.test(state.doc.line(number).text) ? state.doc.line(number - 1).text.trimEnd() : '';

function variablesOf(parameter: CodeInputs | null, inputs: Variables): Variables {
  if (!parameter) return {};
  if (parameter.kind === 'whole') return { [parameter.name]: inputs };
  return Object.fromEntries(Array.from(parameter.nameByKey, ([key, name]) => [name, own(inputs, key)]));
}

const own = (values: Variables, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined);

/** The members of the input that the parameter does not name yet. */
function freeMembers({ state, pos, explicit }: CompletionContext, inputs: Variables, parameter: CodeInputs) {
  const typed = /[\w$]*$/.exec(state.sliceDoc(Math.max(0, pos - 200), pos))?.[0] ?? '';
  if (typed === '' && !explicit) return null;
  const taken = parameter.kind === 'members' ? parameter.nameByKey : new Map<string, string>();
  const free = Object.entries(inputs).filter(([key]) => key === typed || !taken.has(key));
  return completionsOf(Object.fromEntries(free), typed, pos);
}

function languageMembers(before: string, pos: number): CompletionResult | null {
  const [, name = '', typed = ''] = /(?<![\w$.])([A-Z]\w*)\.(\w*)$/.exec(before) ?? [];
  if (!Object.hasOwn(OF_THE_LANGUAGE, name)) return null;
  const labels = Object.getOwnPropertyNames(OF_THE_LANGUAGE[name as keyof typeof OF_THE_LANGUAGE]);
  const options = labels.filter((label) => !NOT_OFFERED.has(label)).map((label) => ({ label, type: 'method' }));
  return { from: pos - typed.length, options, validFor: /^\w*$/ };
}

const NOT_OFFERED = new Set(['prototype', 'name', 'length']);

export const globalCompletions: CompletionSource = ({ state, pos, explicit }) => {
  const typed = /(?<![\w$.])[A-Za-z_$][\w$]*$/.exec(state.sliceDoc(Math.max(0, pos - 200), pos))?.[0];
  if (typed === undefined && !explicit) return null;
  const names = Object.keys(OF_THE_LANGUAGE).map((label) => ({ label, type: 'class' }));
  return { from: pos - (typed?.length ?? 0), options: [...OURS, ...names], validFor: /^[\w$]*$/ };
};
