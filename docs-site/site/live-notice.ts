import { loadMessages } from '../../server/consent/messages/messages.ts';
import { NoticeContent } from '../../server/consent/notice.ts';
import { listLanguages, presentNotice, writeNotice } from '../../server/consent/present-notice.ts';
import { liveNoticeId } from './placeholders.ts';

/** The notice that the live banner shows without a server. */
const content = NoticeContent.parse({
  name: 'Your privacy on this site',
  controllerName: 'Example Ltd',
  language: 'en',
  domain: 'localhost',
  links: { privacyPolicy: 'https://example.com/privacy' },
  purposes: [
    {
      key: 'necessary',
      label: 'Necessary',
      description: 'Keeps the site working and remembers this choice.',
      required: true,
      trackers: [{ name: 'basket', provider: 'Example Ltd', lifetime: 'session', thirdParty: false }],
    },
    {
      key: 'analytics',
      label: 'Analytics',
      description: 'Counts visits, so that we learn what helps.',
      required: false,
      basisByRegion: { GB: 'object', US: 'object' },
      trackers: [{ name: '_visits', provider: 'Example Ltd', lifetime: 'P13M', thirdParty: false }],
    },
    {
      key: 'marketing',
      label: 'Marketing',
      description: 'Shows our offers on other sites.',
      required: false,
      basisByRegion: { US: 'object' },
      trackers: [{ name: '_ad', provider: 'Ads Inc', lifetime: 'P90D', thirdParty: true }],
    },
  ],
  translations: {
    de: {
      purposes: {
        necessary: { label: 'Notwendig', description: 'Hält die Website am Laufen und merkt sich diese Wahl.' },
        analytics: { label: 'Statistik', description: 'Zählt Besuche, damit wir lernen, was hilft.' },
        marketing: { label: 'Werbung', description: 'Zeigt unsere Angebote auf anderen Websites.' },
      },
    },
    ar: {
      purposes: {
        necessary: { label: 'ضروري', description: 'يُبقي الموقع يعمل ويتذكر هذا الاختيار.' },
        analytics: { label: 'التحليلات', description: 'تحصي الزيارات لنعرف ما يفيد.' },
        marketing: { label: 'التسويق', description: 'يعرض عروضنا على مواقع أخرى.' },
      },
    },
  },
});

const publication = { id: liveNoticeId, version: 1, asksSince: 1, content };

/** The public responses of that notice, by the path of their file. */
export async function writeLiveNotice(): Promise<readonly (readonly [string, string])[]> {
  return Promise.all(
    listLanguages(content).map(async (language) => {
      const notice = presentNotice(publication, language, await loadMessages(language));
      return [`live/notice/${language}.json`, writeNotice(notice)] as const;
    }),
  );
}
