/** Version, trace id, parent id, flags (W3C Trace Context, version 00). Ids of zeros are invalid. */
const version00 = /^(00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-)([0-9a-f]{2})$/;

/** The trace that a request belongs to. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The header for requests that this one causes: 55 characters. Flags that are not defined are cleared. */
  readonly traceParent: string;
}

/** Reads the `traceparent` header of a request; null for an invalid one. */
export function readTraceContext(header: string | string[] | undefined): TraceContext | null {
  if (typeof header !== 'string' || header.length !== 55) return null;
  const [, start, traceId, flags] = version00.exec(header) ?? [];
  if (start === undefined || traceId === undefined || flags === undefined) return null;
  // Sampled (1), and random trace id (2).
  return { traceId, traceParent: `${start}0${Number.parseInt(flags, 16) & 3}` };
}
