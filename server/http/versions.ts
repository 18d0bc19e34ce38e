import { Problem } from './problem.ts';

/** Every dated API version, oldest first. */
export const knownVersions = ['2026-11-01'] as const;

export const latestVersion: string = knownVersions[knownVersions.length - 1] as string;

/**
 * The version that a request runs under: the one its Svc-Version header names, else the tenant's.
 * @throws {Problem} `unsupported_version`, naming the known ones.
 */
export function resolveVersion(header: string | undefined, pinned: string): string {
  if (header === undefined) return pinned;
  if ((knownVersions as readonly string[]).includes(header)) return header;
  throw new Problem('unsupported_version', `Svc-Version must be one of: ${knownVersions.join(', ')}.`);
}
