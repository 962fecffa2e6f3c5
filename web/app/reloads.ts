/** Session storage: how often in a row a page that did not load completely was reloaded automatically. */
export const RELOADS_KEY = 'reloads'
