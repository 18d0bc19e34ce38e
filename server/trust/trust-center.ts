import { catalogue, type Framework } from '../controls/catalogue/catalogue.ts';
import type { TrustContent } from './trust-content.ts';

export interface TrustCenter {
  readonly id: string;
  readonly content: TrustContent;
  readonly publishedAt: string | null;
  readonly updatedAt: string;
}

/** A published trust center as everybody sees it. */
export interface PublishedTrustCenter {
  readonly tenantId: string;
  readonly slug: string;
  readonly name: string;
  readonly content: TrustContent;
  readonly publishedAt: string;
  readonly updatedAt: string;
}

/** A published trust center with the proof that it shows. */
export interface ProvenTrustCenter extends PublishedTrustCenter {
  /** Null where none is to be shown, or none was signed yet. */
  readonly proof: TrustProof | null;
}

/** The latest signed checkpoint of the audit log, which every change of the trust center stands in. */
export interface TrustProof {
  /** How many events it speaks of. */
  readonly size: number;
  readonly at: string;
  /** The signed note itself. */
  readonly note: string;
}

/** A framework that a tenant achieved, with what the catalogue says about it. */
export interface Achievement {
  readonly framework: Framework;
  readonly achievedAt: string;
  readonly expiresAt: string | null;
  readonly reportUrl: string | null;
}

/** What is achieved at a time: what has not expired, in the order of the catalogue. */
export function listAchievements({ frameworks }: TrustContent, now: string): readonly Achievement[] {
  return catalogue.frameworks.flatMap((framework) => {
    const achieved = frameworks.find(({ code }) => code === framework.code);
    if (achieved === undefined || (achieved.expiresAt !== null && achieved.expiresAt <= now)) return [];
    const { achievedAt, expiresAt, reportUrl } = achieved;
    return [{ framework, achievedAt, expiresAt, reportUrl }];
  });
}

/** Where the public page of a tenant is. */
export function trustPath(slug: string): string {
  return `/trust/${slug}`;
}
