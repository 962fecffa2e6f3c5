/** Key in local storage: the steps were hidden at the last visit. */
export const HIDDEN_KEY = 'firstStepsGone'
