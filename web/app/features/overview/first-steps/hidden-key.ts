/** Key in local storage: whether the steps were hidden on the last visit. */
export const HIDDEN_KEY = 'firstStepsGone'
