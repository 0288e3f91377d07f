const FIRST_PAGE = '/flows';

/** The address within the console to which a person wanted to go before they signed in. Others are not followed. */
export function wayBack(next: string | null): string {
  if (next === null) return FIRST_PAGE;
  const { origin, pathname, search, hash } = new URL(next, 'http://console');
  return origin === 'http://console' ? `${pathname}${search}${hash}` : FIRST_PAGE;
}
