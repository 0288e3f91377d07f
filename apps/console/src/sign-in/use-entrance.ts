import { useState, type FormEvent } from 'react';

export interface Entrance {
  /** Is called before somebody is signed in. */
  onStart?: () => void;
  /** Is called when somebody is signed in, and does what they came for. */
  onDone: () => unknown;
}

/** Signs in when a form is sent, and then goes on. What is refused is said, and may be sent again. */
export function useEntrance(signIn: () => Promise<void>, { onStart, onDone }: Entrance) {
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    onStart?.();
    try {
      await signIn();
      await onDone();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { failure, isBusy, submit: (event: FormEvent<HTMLFormElement>) => void submit(event) };
}
