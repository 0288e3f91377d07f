/**
 * Checks documents against the schemas of Kubernetes, of KEDA and of the Prometheus Operator. The compiled schemas find
 * values of a wrong form; they let unknown fields pass, as the server drops them without a word, so the types of the same
 * packages find these.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

const require = createRequire(import.meta.url);

/** The packages with the kinds of each group. Groups of Kubernetes itself are in the first one. */
const PACKAGE_OF = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

const moduleOf = ({ apiVersion, kind }) =>
  `${PACKAGE_OF[apiVersion.split('/')[0]] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;

/** @returns {string[]} a line for each problem of a document */
export function problemsOf(document) {
  const name = nameOf(document);
  let model;
  try {
    model = require(moduleOf(document))[document.kind];
  } catch {
    return [`${name}: no schema of ${document.apiVersion} ${document.kind} is known`];
  }
  try {
    new model(document).validate();
    return [];
  } catch (/** @type {any} */ error) {
    return [`${name}: ${error.message}`];
  }
}

export const nameOf = ({ kind, metadata }) => `${kind} ${metadata?.name}`;

/** @returns {string[]} a line for each field that no schema has, and for each that is missing */
export function unknownFieldsOf(documents, root) {
  const lines = documents.map(
    (document, n) =>
      `const document${n}: import('${moduleOf(document)}').I${document.kind} = ${JSON.stringify(document)};`,
  );
  const file = join(root, 'documents.ts');
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const text = `${lines.join('\n')}\nexport {};`;
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, text, ts.ScriptTarget.ESNext) : getSourceFile(path, ...rest);
  host.fileExists = (path) => path === file || fileExists(path);
  host.readFile = (path) => (path === file ? text : readFile(path));
  const program = ts.createProgram([file], options, host);
  return program.getSemanticDiagnostics(program.getSourceFile(file)).map(({ start = 0, messageText }) => {
    const line = text.slice(0, start).split('\n').length - 1;
    return `${nameOf(documents[line])}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
