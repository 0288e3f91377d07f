export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

type Size = Pick<Box, 'width' | 'height'>;

const GAP = 4;
const MARGIN = 8;

/** Where a menu stands: below its anchor, or above it where there is no room below, and always within the window. */
export function placeOfMenu(anchor: Box, menu: Size, window: Size): Pick<Box, 'left' | 'top'> {
  const below = anchor.top + anchor.height + GAP;
  const above = anchor.top - GAP - menu.height;
  const fitsBelow = below + menu.height + MARGIN <= window.height;
  const top = fitsBelow || above < MARGIN ? below : above;
  return {
    left: within(anchor.left, window.width - menu.width - MARGIN),
    top: within(top, window.height - menu.height - MARGIN),
  };
}

/** Whether a part of the box is in the window. */
export const isWithin = ({ left, top, width, height }: Box, window: Size): boolean =>
  left + width >= 0 && top + height >= 0 && left <= window.width && top <= window.height;

const within = (wanted: number, most: number): number => Math.max(MARGIN, Math.min(wanted, most));
