/**
 * In session storage: how many signed-in pages in a row were begun whose scripts did not all come. React Router loads a page anew whose
 * own script does not, without end: the page's first script stops it (web/first-touch/signed-in.ts).
 */
export const STARTED_PAGES_KEY = 'pagesBegun'
