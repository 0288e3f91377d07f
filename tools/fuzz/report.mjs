/** Collects the problems. Each kind is reported once, with the seed and the curl command that show it again. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SHORT = 2_000;

export class Report {
  #kinds = new Map();

  /**
   * @param {object} run
   * @param {number} run.seed
   * @param {string} run.baseUrl
   * @param {string} run.folder the folder for bodies that are too long for a command line
   * @param {Record<string, string>} run.keys
   */
  constructor({ seed, baseUrl, folder, keys }) {
    this.seed = seed;
    this.baseUrl = baseUrl;
    this.folder = folder;
    this.keys = keys;
  }

  get found() {
    return this.#kinds.size;
  }

  add(request, answer, problem) {
    const kind = `${request.operation.name} ${problem.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#')}`;
    const known = this.#kinds.get(kind);
    if (known) known.times++;
    else this.#kinds.set(kind, { problem, request, answer, times: 1 });
  }

  lines() {
    return [...this.#kinds.values()].flatMap(({ problem, request, answer, times }) => [
      `${request.operation.name} ${problem}`,
      `  seed ${this.seed}, request ${request.number}, ${times === 1 ? 'once' : `${times} times`}; answered ${answer.status} after ${answer.ms} ms`,
      `  ${this.#curl(request)}`,
    ]);
  }

  #curl({ number, method, path, headers, body }) {
    const given = Object.entries(headers).map(
      ([name, value]) => `-H ${quoted(`${name}: ${this.#withoutKeys(value)}`)}`,
    );
    return [
      `curl -i --path-as-is -X ${method}`,
      ...given,
      ...(body === null ? [] : [`--data-binary ${this.#data(number, body)}`]),
      quoted(this.baseUrl + path),
    ].join(' ');
  }

  #withoutKeys(text) {
    return Object.entries(this.keys).reduce(
      (rest, [name, key]) => rest.replaceAll(key, `<key of ${name}>`),
      String(text),
    );
  }

  #data(number, body) {
    if (body.length <= SHORT && /^[\x20-\x7e]*$/.test(body)) return quoted(body);
    mkdirSync(this.folder, { recursive: true });
    const file = join(this.folder, `${this.seed}-${number}.body`);
    writeFileSync(file, body);
    return `@${file}`;
  }
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
