/** Session storage: automatic reloads in a row of a page that did not load completely. */
export const RELOADS_KEY = 'reloads'
