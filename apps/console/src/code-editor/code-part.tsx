import { useEffect, useMemo, useRef } from 'react';
import { CodeMirror, type CodeMirrorProps } from './code-mirror';
import { typescript } from './typescript';
import type { Variables } from './value-completions';

interface CodePartProps extends Omit<CodeMirrorProps, 'extensions'> {
  inputs: Variables;
}

/** The part of the code editor that is loaded when code is shown. */
export function CodePart({ inputs, ...rest }: CodePartProps) {
  const latest = useRef(inputs);
  useEffect(() => {
    latest.current = inputs;
  });
  const extensions = useMemo(() => typescript(() => latest.current), []);
  return <CodeMirror extensions={extensions} {...rest} />;
}
