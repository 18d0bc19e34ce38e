import { isMatch } from '../page/cookies.ts';
import type { Tracker, TrackerPurpose } from './inspector/report.ts';

/** Name, owner (empty when it has the same name), the ends of its hosts, names of its cookies and storage keys (an asterisk for any end). */
type CatalogueRow = readonly [name: string, owner: string, hosts: string, names: string];

/** The commonest trackers by their usual purpose. A hint for the developer of a page: it never decides what is granted. */
export const catalogue: Readonly<Record<TrackerPurpose, readonly CatalogueRow[]>> = {
  necessary: [
    ['This consent banner', 'Svc', '', 'svc-consent*'],
    ['Session of the site', 'This site', '', 'PHPSESSID JSESSIONID ASP.NET_SessionId'],
    ['Form protection', 'This site', '', 'XSRF-TOKEN csrftoken _csrf'],
    ['WordPress sign-in', 'This site', '', 'wordpress_* wp-settings-*'],
    ['WooCommerce basket', 'This site', '', 'woocommerce_* wp_woocommerce_*'],
    ['Bot protection', 'Cloudflare', '', '__cf_bm _cfuvid cf_clearance __cflb'],
    ['Stripe', '', 'stripe.com stripe.network', '__stripe_mid __stripe_sid'],
    ['PayPal', '', 'paypal.com paypalobjects.com', ''],
    ['cdnjs', 'Cloudflare', 'cdnjs.cloudflare.com', ''],
    ['jsDelivr', '', 'jsdelivr.net', ''],
    ['unpkg', '', 'unpkg.com', ''],
  ],
  preferences: [
    ['Google Fonts', 'Google', 'fonts.googleapis.com fonts.gstatic.com', ''],
    ['Google Maps', 'Google', 'maps.googleapis.com maps.gstatic.com', ''],
    ['reCAPTCHA', 'Google', 'recaptcha.net', '_GRECAPTCHA rc::*'],
    ['Adobe Fonts', 'Adobe', 'typekit.net', ''],
    ['Font Awesome', 'Fonticons', 'fontawesome.com', ''],
    ['OpenStreetMap', 'OpenStreetMap Foundation', 'openstreetmap.org', ''],
    ['Mapbox', '', 'mapbox.com', 'mapbox.*'],
    ['Intercom', '', 'intercom.io intercomcdn.com', 'intercom-* intercom.*'],
    ['Zendesk', '', 'zdassets.com zendesk.com zopim.com', '__zlcmid ZD-*'],
    ['Crisp', '', 'crisp.chat', 'crisp-client*'],
    ['tawk.to', '', 'tawk.to', 'twk_*'],
    ['Disqus', '', 'disqus.com disquscdn.com', 'disqus_*'],
  ],
  statistics: [
    ['Google Analytics', 'Google', 'google-analytics.com analytics.google.com', '_ga _ga_* _gid _gat* __utm* FPID'],
    ['Google Tag Manager', 'Google', 'googletagmanager.com', '_dc_gtm_*'],
    ['Matomo', 'InnoCraft', 'matomo.cloud innocraft.cloud', '_pk_* MATOMO_SESSID'],
    ['Plausible', 'Plausible Insights', 'plausible.io', 'plausible_*'],
    ['Fathom', 'Conva Ventures', 'usefathom.com', ''],
    ['Simple Analytics', '', 'simpleanalytics.com simpleanalyticscdn.com', ''],
    ['Umami', 'Umami Software', 'umami.is', 'umami.*'],
    ['Web Analytics', 'Cloudflare', 'cloudflareinsights.com', ''],
    ['Jetpack Stats', 'Automattic', 'stats.wp.com pixel.wp.com', 'tk_*'],
    ['Shopify Analytics', 'Shopify', 'shopifysvc.com', '_shopify_*'],
    ['Clarity', 'Microsoft', 'clarity.ms', '_clck _clsk CLID'],
    ['Hotjar', 'Contentsquare', 'hotjar.com hotjar.io', '_hj*'],
    ['Contentsquare', '', 'contentsquare.net', '_cs_*'],
    ['Heap', 'Contentsquare', 'heap.io heapanalytics.com', '_hp2_*'],
    ['Mixpanel', '', 'mixpanel.com mxpnl.com', 'mp_* __mp*'],
    ['Amplitude', '', 'amplitude.com', 'AMP_* amp_* amplitude_*'],
    ['Segment', 'Twilio', 'segment.com segment.io', 'ajs_*'],
    ['PostHog', '', 'posthog.com', 'ph_*'],
    ['FullStory', '', 'fullstory.com', 'fs_uid fs_lua _fs_*'],
    ['Metrica', 'Yandex', 'mc.yandex.ru mc.yandex.com', '_ym*'],
    ['Tongji', 'Baidu', 'hm.baidu.com', 'Hm_* HMACCOUNT'],
    ['Experience Cloud', 'Adobe', 'omtrdc.net demdex.net adobedc.net', 'AMCV_* AMCVS_* s_cc s_sq s_vi s_ecid mbox'],
    ['Piano Analytics', 'Piano', 'xiti.com at-o.net', 'atuserid atidvisitor _pcid pa_*'],
    ['Optimizely', '', 'optimizely.com', 'optimizely*'],
    ['New Relic', '', 'nr-data.net newrelic.com', 'NRBA_*'],
    ['Datadog', '', 'datadoghq.com datadoghq-browser-agent.com', '_dd_s*'],
    ['Sentry', 'Functional Software', 'sentry.io sentry-cdn.com', 'sentryReplaySession'],
    ['Dynatrace', '', 'dynatrace.com', 'dtCookie* rxVisitor* rxvt dtPC* dtSa*'],
    ['Vimeo', '', 'vimeo.com vimeocdn.com', 'vuid'],
  ],
  marketing: [
    [
      'Google Ads',
      'Google',
      'doubleclick.net googleadservices.com googlesyndication.com',
      '_gcl_* _gac_* __gads __gpi* IDE',
    ],
    ['YouTube', 'Google', 'youtube.com youtube-nocookie.com ytimg.com', 'YSC VISITOR_INFO1_LIVE yt-* yt.*'],
    ['Meta Pixel', 'Meta', 'facebook.net facebook.com', '_fbp _fbc'],
    ['Instagram', 'Meta', 'instagram.com cdninstagram.com', ''],
    ['LinkedIn Insight', 'LinkedIn', 'licdn.com linkedin.com', 'li_* bcookie lidc'],
    ['X Ads', 'X', 'ads-twitter.com twitter.com x.com t.co', '_twpid guest_id*'],
    ['TikTok Pixel', 'TikTok', 'tiktok.com', '_ttp _tt_* ttcsid*'],
    ['Pinterest Tag', 'Pinterest', 'pinterest.com pinimg.com', '_pin_* _pinterest_*'],
    ['Snap Pixel', 'Snap', 'sc-static.net snapchat.com', '_scid* _sctr'],
    ['Reddit Pixel', 'Reddit', 'redditstatic.com reddit.com', '_rdt_*'],
    ['Microsoft Advertising', 'Microsoft', 'bat.bing.com', '_uet* MUID'],
    ['Amazon Ads', 'Amazon', 'amazon-adsystem.com', 'ad-id ad-privacy'],
    ['Criteo', '', 'criteo.com criteo.net', 'cto_*'],
    ['Taboola', '', 'taboola.com', 't_gid trc_* taboola*'],
    ['The Trade Desk', '', 'adsrvr.org', 'TDID TDCPM'],
    ['Adform', '', 'adform.net', ''],
    ['AdRoll', 'NextRoll', 'adroll.com', '__adroll* __ar_v4'],
    ['Quantcast', '', 'quantserve.com quantcount.com', '__qca'],
    ['HubSpot', '', 'hubspot.com hs-scripts.com hs-analytics.net hsforms.net', '__hstc __hssc __hssrc hubspotutk'],
    ['Mailchimp', 'Intuit', 'list-manage.com chimpstatic.com mailchimp.com', 'mailchimp_*'],
    ['Klaviyo', '', 'klaviyo.com', '__kla_*'],
    ['Spotify', '', 'spotify.com scdn.co', 'sp_t'],
  ],
};

/** A tracker, and what it was known by. */
export interface KnownTracker extends Tracker {
  /** The end of the host, or the name with or without an asterisk. */
  readonly pattern: string;
}

/** The tracker whose hosts are these; the longer end counts. */
export function findTrackerByHost(host: string): KnownTracker | null {
  return findTracker(2, (end) => `.${host}`.endsWith(`.${end}`));
}

/** The tracker whose cookie or storage key this is; the longer pattern counts. */
export function findTrackerByName(name: string): KnownTracker | null {
  return findTracker(3, (pattern) => isMatch(name, pattern));
}

function findTracker(column: 2 | 3, isMeant: (pattern: string) => boolean): KnownTracker | null {
  let found: KnownTracker | null = null;
  for (const [purpose, rows] of Object.entries(catalogue) as [TrackerPurpose, readonly CatalogueRow[]][]) {
    for (const row of rows) {
      for (const pattern of row[column].split(' ')) {
        if (pattern && isMeant(pattern) && pattern.length > (found?.pattern.length ?? 0))
          found = { name: row[0], owner: row[1] || row[0], purpose, pattern };
      }
    }
  }
  return found;
}
