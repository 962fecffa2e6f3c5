/** How often new notices are looked for. */
export const LOOK_EVERY_MS = 15_000
