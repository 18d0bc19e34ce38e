import { callFunction, findMethod, putFirst, takeQueue, type Vendor } from './vendor.ts';

/** Meta Pixel: https://developers.facebook.com/docs/meta-pixel/implementation/gdpr (its own tag must make the queue). */
export const meta: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => callFunction('fbq', ['consent', consent ? 'grant' : 'revoke'], !consent),
};

/** Microsoft Advertising, UET: https://help.ads.microsoft.com/apex/index/3/en/60119 */
export const microsoftAds: Vendor = {
  signals: ['ad_storage'],
  hold: () => putFirst(takeQueue('uetq'), 'consent', 'default', { ad_storage: 'denied' }),
  send: ({ ad_storage }) =>
    takeQueue('uetq').push('consent', 'update', { ad_storage: ad_storage ? 'granted' : 'denied' }),
};

/** Pinterest Tag: https://help.pinterest.com/en/business/article/install-the-base-code */
export const pinterest: Vendor = {
  signals: ['consent'],
  send: ({ consent }) => callFunction('pintrk', ['setconsent', consent], !consent),
};

/** TikTok Pixel: https://business-api.tiktok.com/portal/docs/pixel-cookie-consent-mode/v1.3 */
export const tiktok: Vendor = {
  signals: ['consent'],
  hold: () => {
    const queue = takeQueue('ttq');
    if (Array.isArray(queue)) queue.unshift(['holdConsent']);
    findMethod('ttq', 'holdConsent')?.();
  },
  send: ({ consent }) => {
    const command = consent ? 'grantConsent' : 'revokeConsent';
    const call = findMethod('ttq', command);
    return call ? call() : takeQueue('ttq').push([command]);
  },
};
