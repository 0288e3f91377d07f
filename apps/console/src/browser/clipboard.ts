/** Copies a text, and returns whether the browser let us. */
export async function copyText(text: string): Promise<boolean> {
  // Browsers have no clipboard for pages that came over plain HTTP from another host.
  if (!window.isSecureContext) return copySelected(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  const focused = document.activeElement;
  // Inside the same dialog, if there is one, because a dialog keeps the focus in itself.
  (focused?.parentElement ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
