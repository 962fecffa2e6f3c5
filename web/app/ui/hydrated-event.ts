/** Dispatched on the document once the app has hydrated. */
export const HYDRATED = 'hydrated'
