/** Told to the document when the app has taken over a page that was prerendered. */
export const HYDRATED = 'hydrated'
