// The entry of the add-on's own script tag: data-signals="statistics: matomo; marketing: meta tiktok".
import { currentScript } from '../../state/document.ts';
import { sendConsentSignals } from './consent-signals.ts';

sendConsentSignals({ signals: currentScript()?.dataset.signals });
