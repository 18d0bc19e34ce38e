import { coverFrames } from '../panel/cover-frames.ts';
import { handOver } from '../state/current-script.ts';

handOver(coverFrames);
