/** Whether a component's code loaded; if not, shows a toast. @param what 'The menu' */
export async function loadOnDemand(load: () => Promise<unknown>, what: string): Promise<boolean> {
  try {
    await load()
    return true
  } catch {
    // The toast module is already loaded, or fails to load too.
    void import('./toast').then(
      ({ toast }) => toast.error(`${what} didn't load. Check your connection, then reload the page.`),
      () => {},
    )
    return false
  }
}
