import { useEffect, useRef, useState } from 'react';
import { TextField } from './field';

interface SearchFieldProps {
  label: string;
  /** What is searched for now. It may follow what is typed later. */
  value: string;
  onSearch: (value: string) => void;
}

/** Searches while one types. It shows what was typed at once, also where the address follows later. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  /** What was typed and did not come back as the value yet. */
  const sent = useRef<string[]>([]);

  useEffect(() => {
    const at = sent.current.indexOf(value);
    sent.current = at === -1 ? [] : sent.current.slice(at + 1);
    if (at === -1) setTyped(value); // somebody else changed it
  }, [value]);

  const type = (now: string) => {
    sent.current.push(now);
    setTyped(now);
    onSearch(now);
  };
  return (
    <TextField
      label={label}
      isLabelHidden
      type="search"
      placeholder={label}
      value={typed}
      onChange={(event) => type(event.target.value)}
    />
  );
}
