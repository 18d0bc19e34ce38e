import { mountExtras } from '../optional-elements/optional-elements.ts';
import { handOver } from '../page/document.ts';

handOver(mountExtras);
