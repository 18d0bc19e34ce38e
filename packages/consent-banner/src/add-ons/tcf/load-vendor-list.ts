import { reportProblem } from '../../report-problem.ts';
import { loadJson } from './load-json.ts';
import type { TcfSettings } from './settings.ts';
import { parseVendorList, type VendorList } from './vendor-list.ts';

export interface LoadedList {
  readonly list: VendorList;
  /** As it was sent, for those who ask the API for it. */
  readonly raw: unknown;
}

/**
 * Fetches the site's copy of the vendor list. Problems with it, or with what the site maps to it, are logged.
 * @returns null when it cannot be used.
 */
export async function loadVendorList(settings: TcfSettings): Promise<LoadedList | null> {
  const { vendorList, vendors, purposes } = settings;
  try {
    const raw = await loadJson(vendorList);
    const list = parseVendorList(raw, vendors, (problem) => reportProblem(`TCF: ${problem}`));
    const missing = new Set(list.vendors.flatMap((vendor) => vendor.purposes.filter((id) => !purposes.has(id))));
    if (missing.size) {
      reportProblem(
        `TCF: vendors need the purposes ${[...missing].join(', ')}, which purposes maps nothing to: they get no consent.`,
      );
    }
    return { list, raw };
  } catch (cause) {
    reportProblem(`TCF: the vendor list ${vendorList} ${(cause as Error).message}. No TC string is given out.`);
    return null;
  }
}
