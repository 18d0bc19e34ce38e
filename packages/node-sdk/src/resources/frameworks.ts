import type { ApiPromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { Items } from '../types/values.ts';
import { get, post, Resource } from './resource.ts';

/** The frameworks of the catalog. Reading needs the scope `controls:read`, the other methods `controls:write`. */
export class Frameworks extends Resource {
  /** Gets every framework of the catalog, with what may be claimed. */
  list(options?: RequestOptions): ApiPromise<Items<Api.ControlFramework>> {
    return this.api.request(get('listFrameworks', '/v1/control-framework/frameworks'), options);
  }

  /**
   * Gets a framework, such as `GDPR`, with the requirements that controls may be mapped to.
   * @throws {NotFoundError} `not_found` for an unknown code.
   */
  retrieve(code: string, options?: RequestOptions): ApiPromise<Api.ControlFrameworkDetail> {
    return this.api.request(get('getFramework', '/v1/control-framework/frameworks/{code}', { code }), options);
  }

  /**
   * Sets the frameworks that the tenant follows. Controls that come into force for the first time begin as
   * `not_started`; those that no framework of the list needs rest, and come back with their history when one does.
   * @param adoption the whole list: a framework that is left out is dropped.
   * @throws {ValidationError} `validation_failed` for an unknown code, and for one that is named twice.
   */
  adopt(adoption: Api.FrameworkAdoptionInput, options?: RequestOptions): ApiPromise<Api.FrameworkAdoption> {
    return this.api.request(post('adoptFrameworks', '/v1/control-framework/adopt', {}, adoption), options);
  }
}
