import { toast } from './toast'

/** Loads a component's code. If that fails, shows a toast. @param what 'The menu' @returns whether it loaded */
export async function loadOnDemand(load: () => Promise<unknown>, what: string): Promise<boolean> {
  try {
    await load()
    return true
  } catch {
    toast.error(`${what} didn't load. Check your connection, then reload the page.`)
    return false
  }
}
