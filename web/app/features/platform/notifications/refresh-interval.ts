/** How often new notifications are fetched. */
export const NOTIFICATIONS_POLL_MS = 15_000
