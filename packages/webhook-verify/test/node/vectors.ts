import { createHmac } from 'node:crypto';

// A published vector: anybody can compute it with openssl.
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const otherSecret = 'whsec_C2FVsBQIhrscChlQIMV_b5sSYspob7oD';
export const time = 1_767_225_600;
export const now = (): number => time * 1000;

export const event = {
  id: '0197b5a0-0000-7000-8000-000000000001',
  type: 'dsr.completed',
  createdAt: '2026-01-01T00:00:00.000Z',
  tenantId: '0197b5a0-0000-7000-8000-000000000002',
  data: { dsrId: '0197b5a0-0000-7000-8000-000000000003', subjectId: 's-1', type: 'access', outcome: 'fulfilled' },
};
export const text = JSON.stringify(event);
export const body = new TextEncoder().encode(text);

/** The digest as the contract describes it, computed without the package. */
export function digest(payload: Uint8Array | string, at: number | string = time, key = secret): string {
  return createHmac('sha256', key).update(`${at}.`).update(payload).digest('hex');
}

export function sign(payload: Uint8Array | string, at: number | string = time, key = secret): string {
  return `t=${at},v1=${digest(payload, at, key)}`;
}
