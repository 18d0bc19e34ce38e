import { mountElements } from '../optional-elements/optional-elements.ts';
import { handOver } from '../page/document.ts';

handOver(mountElements);
