import { client } from '../../../api'
import { BrandIcon } from '../../../ui/brand-icon'
import { Button, type ButtonProps } from '../../../ui/button'
import { useRedirect } from '../../../use-action'

/** Opens X's authorization page, which returns to the Connect X tab. */
export function ConnectWithX({
  children = 'Continue on X',
  ...buttonProps
}: Pick<ButtonProps, 'variant' | 'size' | 'wide' | 'children' | 'className'>) {
  const begin = useRedirect(() => client.xAccount.authorize(), 'X is not responding. Please try again in a moment.')
  return (
    <Button {...buttonProps} icon={<BrandIcon brand="x" />} loading={begin.isLeaving} onClick={() => begin.run()}>
      {children}
    </Button>
  )
}
