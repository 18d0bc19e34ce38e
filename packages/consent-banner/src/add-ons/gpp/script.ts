// The entry of the add-on's own script tag: data-sections="usnat" data-opt-outs="marketing: sale sharing" and the others.
import { currentScript } from '../../page/document.ts';
import { provideGpp } from './index.ts';

provideGpp({ ...currentScript()?.dataset });
