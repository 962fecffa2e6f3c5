import { Code } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../../ui/button'

// Loaded on demand.
const loadDialog = () => import('./embed-dialog')
const EmbedDialog = lazy(loadDialog)

/** Opens the embed dialog. */
export function EmbedOnYourSite({ referralCode }: { referralCode: string }) {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  return (
    <>
      <Button
        size="sm"
        icon={<Code aria-hidden />}
        className="w-fit"
        onPointerEnter={loadDialog}
        onFocus={loadDialog}
        onClick={() => {
          setWanted(true)
          setOpen(true)
        }}
      >
        Embed on your site
      </Button>
      {wanted && (
        <Suspense>
          <EmbedDialog referralCode={referralCode} open={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
