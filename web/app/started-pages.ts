/**
 * In session storage: how often in a row a signed-in page was loaded without getting all its scripts. React Router reloads such a page
 * without end; the page's first script stops it (web/first-touch/signed-in.ts).
 */
export const STARTED_PAGES_KEY = 'pagesBegun'
