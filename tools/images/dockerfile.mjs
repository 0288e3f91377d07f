/** Reads the Dockerfiles of the apps, for the checks of them: no container engine is needed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';

export const dockerfileOf = (app) => `deploy/docker/${app}.Dockerfile`;

/**
 * @typedef {{ keyword: string, text: string, args: string[], flags: Record<string, string> }} Instruction
 * @typedef {{ base: string, name: string | undefined, instructions: Instruction[] }} Stage
 *
 * @returns {Stage[]}
 */
export function readStages(root, app) {
  const text = readFileSync(join(root, dockerfileOf(app)), 'utf8');
  /** @type {Stage[]} */
  const stages = [];
  for (const parsed of DockerfileParser.parse(text).getInstructions()) {
    const instruction = describe(parsed);
    const [base, , name] = instruction.args;
    if (instruction.keyword === 'FROM') stages.push({ base: withDefaults(base, text), name, instructions: [] });
    else stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

/** @returns {Instruction} */
function describe(parsed) {
  const text = parsed.getArgumentsContent() ?? '';
  return {
    keyword: parsed.getKeyword(),
    text,
    args: argsOf(parsed, text),
    flags: Object.fromEntries((parsed.getFlags?.() ?? []).map((flag) => [flag.getName(), flag.getValue()])),
  };
}

/** The arguments as words: of the form in JSON its strings, of properties `name=value`. */
function argsOf(parsed, text) {
  if (text.startsWith('[')) return JSON.parse(text);
  const properties = parsed.getProperties?.();
  if (properties) return properties.map((each) => `${each.getName()}=${each.getValue()}`);
  return parsed.getArguments().map((each) => each.getValue());
}

/** Puts the defaults of the arguments before the first stage into the name of an image. */
function withDefaults(image, text) {
  return image.replace(/\$\{(\w+)\}/g, (_, name) => new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(text)?.[1] ?? '');
}

/** What an image says of how its app is started: that is what its last stage says. */
export function readImage(root, app) {
  const { instructions } = /** @type {Stage} */ (readStages(root, app).at(-1));
  const all = (keyword) => instructions.filter((each) => each.keyword === keyword).flatMap(({ args }) => args);
  const pairs = (keyword) => Object.fromEntries(all(keyword).map((pair) => splitOnce(pair, '=')));
  const check = instructions.find(({ keyword }) => keyword === 'HEALTHCHECK');
  return {
    environment: /** @type {Record<string, string>} */ (pairs('ENV')),
    labels: /** @type {Record<string, string>} */ (pairs('LABEL')),
    user: all('USER').at(-1),
    ports: all('EXPOSE').map(Number),
    command: all('CMD'),
    healthCheck: check && /** @type {string[]} */ (JSON.parse(check.text.replace(/^CMD\s+/, ''))),
  };
}

function splitOnce(text, separator) {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
