import { useMutation } from '@tanstack/react-query'
import { api, errorText } from '../../../api'
import { BrandIcon } from '../../../ui/brand-icon'
import { Button, type ButtonProps } from '../../../ui/button'
import { toast } from '../../../ui/toast'

/** Opens X's authorization page, which returns to the Connect X tab. */
export function ConnectWithX({
  children = 'Connect with X',
  ...buttonProps
}: Pick<ButtonProps, 'variant' | 'size' | 'wide' | 'children' | 'className'>) {
  const authorize = useMutation(
    api.xAccount.authorize.mutationOptions({
      onSuccess: ({ url }) => location.assign(url),
      onError: (error) => toast.error(errorText(error, 'X is not answering. Please try again in a moment.')),
    }),
  )
  return (
    <Button
      {...buttonProps}
      icon={<BrandIcon brand="x" />}
      // Stays busy until the browser has left the page.
      loading={authorize.isPending || authorize.isSuccess}
      onClick={() => authorize.mutate(undefined)}
    >
      {children}
    </Button>
  )
}
