/**
 * Keeps compiled code beside the packages, which halves the time of a start. What is imported from then on counts, so entry
 * points import this first. Not in a folder that other users can write to: what is kept there is run.
 *
 * It is JavaScript, and so are the entry points: the first file that Node has to strip of its types makes it load what does
 * that, 17 MB that nothing else needs once the rest is found here.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// The folder that the package is installed in, or that of the repository.
const [installed] = /^.*node_modules(?=[\\/])/.exec(import.meta.dirname) ?? [
  join(import.meta.dirname, '../../node_modules'),
];
enableCompileCache(join(installed, '.cache/compiled'));
