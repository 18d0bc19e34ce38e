/** The version of this package. */
export const packageVersion = '1.0.0-rc.0';

/** The dated version of the API that the types of this package describe. */
export const apiVersion = '2026-11-01';
