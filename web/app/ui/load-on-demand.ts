import { toast } from './toast'

/** Whether a component's code loaded; if not, shows a toast. @param what 'The menu' */
export async function loadOnDemand(load: () => Promise<unknown>, what: string): Promise<boolean> {
  try {
    await load()
    return true
  } catch {
    toast.error(`${what} didn't load. Check your connection, then reload the page.`)
    return false
  }
}
