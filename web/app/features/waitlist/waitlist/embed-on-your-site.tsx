import { Code } from 'lucide-react'
import { Button } from '../../../ui/button'
import { useDialogOnDemand } from '../../../ui/use-dialog-on-demand'

const loadDialog = () => import('./embed-dialog')

/** Opens the embed dialog. */
export function EmbedOnYourSite({ referralCode }: { referralCode: string }) {
  const dialog = useDialogOnDemand(loadDialog, 'The dialog')
  return (
    <>
      <Button size="sm" icon={<Code aria-hidden />} className="w-fit" {...dialog.button}>
        Embed on your site
      </Button>
      {dialog.render({ referralCode })}
    </>
  )
}
