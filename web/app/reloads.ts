/** Key in session storage: how often in a row an incompletely loaded page was reloaded automatically. */
export const RELOADS_KEY = 'reloads'
