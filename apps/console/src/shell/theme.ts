import { remember, remembered } from '../browser/storage';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'theme';

/** The theme that was chosen in this browser. Without a choice it is that of the system. */
export const chosenTheme = (): Theme => THEMES.find((theme) => theme === remembered(KEY)) ?? 'system';

export function applyTheme(theme: Theme = chosenTheme()): void {
  document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  remember(KEY, theme);
  applyTheme(theme);
}
