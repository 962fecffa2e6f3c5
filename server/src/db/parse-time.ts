/** Parses a time as PostgreSQL wrote it, in a row that Drizzle does not map. */
export const parseTime = (text: string | null): Date | null => (text === null ? null : new Date(text))
