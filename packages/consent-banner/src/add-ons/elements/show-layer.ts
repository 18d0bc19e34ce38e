import { reportProblem } from '../../report-problem.ts';
import { markFresh } from './fresh-layers.ts';

/** Shows a banner, as a region; one that is a popover above everything. */
export function showBanner(banner: HTMLElement): void {
  if (!banner.matches('[role],section,aside')) banner.setAttribute('role', 'region');
  if (banner.hidden) markFresh(banner);
  banner.hidden = false;
  if (!banner.popover) return;
  if (banner.popover !== 'manual') {
    reportProblem(
      `popover="${banner.popover}" on data-svc="banner" lets other popovers close it. Write popover="manual" there.`,
    );
    banner.popover = 'manual';
  }
  if (!banner.matches(':popover-open')) banner.showPopover();
}

/**
 * Shows a dialog modally.
 * @returns false, with a warning, if it is invisible.
 */
export function showDialog(dialog: HTMLDialogElement): boolean {
  dialog.hidden = false;
  dialog.showModal();
  markFresh(dialog);
  return !closeUnseen(dialog);
}

/** Closes a modal dialog that is invisible, because it would block the whole page. */
export function closeUnseen(dialog: HTMLDialogElement): boolean {
  if (dialog.checkVisibility?.() !== false) return false;
  dialog.close();
  reportProblem('data-svc="preferences" is within a part that is hidden, and cannot be shown: move it out of there.');
  return true;
}

/** Hides a layer, whatever it is. */
export function hideLayer(layer: HTMLElement): void {
  if (layer instanceof HTMLDialogElement) layer.close();
  else if (!layer.hidden) {
    if (layer.matches(':popover-open')) layer.hidePopover();
    layer.hidden = true;
  }
}
