import type { Time } from './json.ts';
/** A framework that the tenant has achieved. */
export interface AchievedFramework {
  readonly code: string;
  readonly achievedAt: string;
  /** From then on it is not shown any more. */
  readonly expiresAt: string | null;
  /** A report or certificate to look at. */
  readonly reportUrl: string | null;
}

/** A link such as the privacy policy. */
export interface TrustLink {
  /** 1 to 100 characters, unlike the others. */
  readonly label: string;
  /** http or https. */
  readonly url: string;
}

/** A company that works with the data. */
export interface Subprocessor {
  /** 1 to 120 characters. */
  readonly name: string;
  /** 1 to 240 characters. */
  readonly purpose: string;
  /** 1 to 80 characters. */
  readonly country: string;
}

/** The trust center of the tenant. */
export interface TrustCenter {
  readonly slug: string;
  readonly name: string;
  /** The public page, which is there while the trust center is published. */
  readonly url: string;
  readonly published: boolean;
  readonly headline: string | null;
  readonly description: string | null;
  readonly contactEmail: string | null;
  readonly securityContact: string | null;
  readonly frameworks: readonly AchievedFramework[];
  readonly links: readonly TrustLink[];
  readonly subprocessors: readonly Subprocessor[];
  /** Whether the page shows the latest signed checkpoint of the audit log. */
  readonly showsProof: boolean;
  /** Since when it is published; null while it is not. */
  readonly publishedAt: string | null;
  /** Null before the first change. */
  readonly updatedAt: string | null;
}

/** The whole trust center: what is left out is emptied. Markup in texts is shown as it is written. */
export interface TrustCenterInput {
  readonly published: boolean;
  /** 1 to 160 characters. */
  readonly headline?: string | null | undefined;
  /** 1 to 4,000 characters; blank lines part paragraphs. */
  readonly description?: string | null | undefined;
  readonly contactEmail?: string | null | undefined;
  /** Where to report a vulnerability: a web address. */
  readonly securityContact?: string | null | undefined;
  /** At most 50. */
  readonly frameworks?:
    | readonly {
        /** The code of a framework of the catalogue. */
        readonly code: string;
        /** Not in the future. */
        readonly achievedAt: Time;
        /** From then on the framework is not shown any more. */
        readonly expiresAt?: Time | null | undefined;
        /** A report or certificate to look at. */
        readonly reportUrl?: string | null | undefined;
      }[]
    | undefined;
  /** At most 20. */
  readonly links?: readonly TrustLink[] | undefined;
  /** At most 100. */
  readonly subprocessors?: readonly Subprocessor[] | undefined;
  /** Whether the page shows the latest signed checkpoint of the audit log, which tells how many events it has. */
  readonly showsProof?: boolean | undefined;
}

/** What the trust badge shows. */
export interface TrustWidget {
  readonly name: string;
  readonly slug: string;
  /** The names of the frameworks that are achieved and have not expired. */
  readonly achievedFrameworks: readonly string[];
  readonly updatedAt: string;
}
