// The entry of the add-on's own script tag: data-signals="statistics: matomo; marketing: meta tiktok".
import { currentScript } from '../../page/document.ts';
import { sendConsentSignals } from './index.ts';

sendConsentSignals({ signals: currentScript()?.dataset.signals });
