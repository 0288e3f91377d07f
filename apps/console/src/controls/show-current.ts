/**
 * Scrolls a row sideways until its link to the page that is open is in the middle, as far as the row can. The keyboard
 * still begins at the top of the page: Chromium goes on at what `scrollIntoView` has shown.
 */
export function showCurrent(row: HTMLElement | null): void {
  const current = row?.querySelector('[aria-current]');
  if (!row || !current) return;
  const [outer, inner] = [row.getBoundingClientRect(), current.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}
