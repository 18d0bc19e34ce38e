import { z } from 'zod';

/** A tenant's short name in addresses: lower-case letters, digits and hyphens, 2 to 63 characters. */
export const TenantSlug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/,
    'must be 2 to 63 lower-case letters, digits or hyphens, with no hyphen at an end',
  );

export const TenantName = z.string().trim().min(1).max(200);

export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The API version that applies when a request names none. */
  readonly apiVersion: string;
  readonly createdAt: string;
}
