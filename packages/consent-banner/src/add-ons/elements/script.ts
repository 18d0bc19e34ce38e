// The entry of the add-on's own script tag, in the place of the banner's.
import { currentScript } from '../../stub/current-script.ts';
import { defineByScript } from './define-consent-view.ts';

defineByScript(currentScript());
