// The add-on's script tag. `data-inspect` opens the panel without `#svc-inspect` in the address.
import { currentScript } from '../../page/document.ts';
import { startInspector } from './index.ts';

const { inspect, clearCookies } = currentScript()?.dataset ?? {};
startInspector({ isOpen: inspect !== undefined, clearCookies });
