/** How often new notifications are looked for. */
export const LOOK_EVERY_MS = 15_000
