/**
 * Session storage: signed-in pages started in a row without all scripts loading. React Router
 * reloads such a page endlessly; first-touch/signed-in.ts stops it.
 */
export const STARTED_PAGES_KEY = 'pagesBegun'
