import { toast } from './toast'

/** Loads a component's code, and returns whether it loaded. If not, shows a toast. @param what 'The menu' */
export async function loadOnDemand(load: () => Promise<unknown>, what: string): Promise<boolean> {
  try {
    await load()
    return true
  } catch {
    toast.error(`${what} didn't load. Check your connection, then reload the page.`)
    return false
  }
}
