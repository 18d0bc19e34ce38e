export { holdRequests, type RequestOptions } from './hold-requests.ts';
