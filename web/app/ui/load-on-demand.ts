/**
 * Fetches the code of a part that comes when somebody reaches for it. Where it does not come the page stays as it is, and says so: a
 * browser that did not get a script once does not ask for it again.
 * @param what 'The menu'
 * @returns is it there?
 */
export async function loadOnDemand(load: () => Promise<unknown>, what: string): Promise<boolean> {
  try {
    await load()
    return true
  } catch {
    // What says it has come before, with the page, or does not come now either.
    void import('./toast').then(
      ({ toast }) => toast.error(`${what} didn't load. Check your connection, then reload the page.`),
      () => {},
    )
    return false
  }
}
