/** The jobs that the menu shows, newest first. */
export const RECENT_JOBS = { pageSize: 10 }
