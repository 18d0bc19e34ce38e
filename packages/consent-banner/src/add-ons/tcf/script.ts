// The entry of the add-on's own script tag, which has the settings in its `data-…` attributes.
import { currentScript } from '../../stub/current-script.ts';
import { readTagOptions } from './settings.ts';
import { startTcf } from './start-tcf.ts';

startTcf(readTagOptions(currentScript()?.dataset ?? {}));
