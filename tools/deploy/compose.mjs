/** Reads deploy/compose.yml as Docker does: YAML with merges, then the variables of the environment. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * @param {string} root
 * @param {Record<string, string>} environment
 * @returns {any} the document; throws for a variable that must be set and is not
 */
export function readCompose(root, environment) {
  const document = parse(readFileSync(join(root, 'deploy/compose.yml'), 'utf8'), { merge: true });
  return withVariables(document, environment);
}

function withVariables(value, environment) {
  if (typeof value === 'string') return substitute(value, environment);
  if (Array.isArray(value)) return value.map((each) => withVariables(each, environment));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withVariables(each, environment)]));
}

/** An empty variable counts as not set, which is what the colon says. */
function substitute(text, environment) {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, how, rest) => {
    if (environment[name]) return environment[name];
    if (how === '?') throw new Error(`${name} ${rest}`);
    return rest;
  });
}

/** The lines of an environment file.
 * @returns {Record<string, string>}
 */
export function parseEnvironment(text) {
  const lines = text.split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
