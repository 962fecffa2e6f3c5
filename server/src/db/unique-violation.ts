/** Did a query fail because something that may be there once was there already? (PostgreSQL's 23505, as the driver or Drizzle hands it on) */
export function isUniqueViolation(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return (cause?.code ?? code) === '23505'
}
